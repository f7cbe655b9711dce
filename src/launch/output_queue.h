// launch/output_queue.h: text on its way to a file descriptor that may be slow or gone, written
// only when that does not block. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace godwit {

class OutputQueue {
 public:
  // The descriptor is borrowed and its flags are left alone: others may share it.
  explicit OutputQueue(int fd) : fd_(fd) {}

  int fd() const { return fd_; }
  // Dropped once the reader is gone.
  void add(std::string_view text);
  std::size_t pending() const { return text_.size() - written_; }

  // Writes a part of what is pending. REQUIRES: poll() just said that fd() can be written.
  void write_some();

 private:
  const int fd_;
  std::string text_;
  std::size_t written_ = 0;  // of text_
  bool is_gone_ = false;
};

}  // namespace godwit
