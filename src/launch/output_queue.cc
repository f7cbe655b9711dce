// launch/output_queue.cc: small writes into a descriptor of unknown kind.
#include "launch/output_queue.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace godwit {

void OutputQueue::add(std::string_view text) {
  if (!is_gone_) text_ += text;
}

void OutputQueue::write_some() {
  // A pipe that can be written takes PIPE_BUF bytes without blocking, whatever its flags are.
  const std::size_t count = std::min<std::size_t>(pending(), PIPE_BUF);
  const ssize_t written = write(fd_, text_.data() + written_, count);
  if (written < 0) {
    if (errno == EINTR || errno == EAGAIN) return;
    is_gone_ = true;
    text_.clear();
    written_ = 0;
    return;
  }
  written_ += static_cast<std::size_t>(written);
  if (written_ < text_.size() && written_ < (64U << 10)) return;
  text_.erase(0, written_);
  written_ = 0;
}

}  // namespace godwit
