// group/host_segment.h: memory that processes of one host share; who has opened it can tell whether
// the process that made it is still there. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>

#include "base/unique_fd.h"
#include "godwit/result.h"

namespace godwit {

class HostSegment {
 public:
  // New memory, all zero, that is really there. kUnavailable if the host has not so much.
  static Result<HostSegment> make(std::size_t bytes);
  // Somebody else's. kUnavailable if it is not on this host, or not of this length.
  static Result<HostSegment> open(const std::string& name, std::size_t bytes);

  HostSegment(HostSegment&& other) noexcept;
  HostSegment& operator=(HostSegment&&) = delete;
  ~HostSegment();

  const std::string& name() const { return name_; }
  // Aligned to a page.
  std::byte* data() const { return data_; }
  // Nobody can open it any more; who has it keeps it. Done at the end, too, by who made it.
  void forget_name();

  // Of one that was opened: whether who made it has ended, in whatever way.
  bool is_abandoned() const;

 private:
  HostSegment(std::string name, bool is_ours, UniqueFd file, std::byte* data, std::size_t bytes);
  static Result<HostSegment> map(std::string name, bool is_ours, UniqueFd file, std::size_t bytes);

  std::string name_;
  bool has_name_;
  UniqueFd file_;  // locked by who made it, for as long as it lives
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace godwit
