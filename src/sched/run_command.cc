// sched/run_command.cc: two pipes, read until both are closed.
#include "sched/run_command.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"
#include "launch/child_process.h"
#include "launch/poll_timeout.h"

namespace godwit {
namespace {

constexpr std::size_t kOutputMax = 16U << 20U;

// False at the end.
bool read_more(UniqueFd& from, std::string& text) {
  std::array<char, 16384> bytes;
  const ssize_t count = read(from.fd(), bytes.data(), bytes.size());
  if (count > 0) {
    if (text.size() < kOutputMax) text.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  return count < 0 && (errno == EAGAIN || errno == EINTR);
}

}  // namespace

Result<std::string> run_command(const std::vector<std::string>& command,
                                const Environment& environment, Duration within,
                                const TimeSource& time) {
  GODWIT_TRY_ASSIGN(const std::string path, find_command(command.at(0), environment));
  GODWIT_TRY_ASSIGN(ChildProcess child, ChildProcess::spawn(path, command, environment));
  const Time deadline = time.now() + within;
  std::string out;
  std::string err;
  bool reads_out = true;
  bool reads_err = true;
  for (;;) {
    const auto status = child.status();
    if (status && !reads_out && !reads_err) {
      if (status->is_ok()) return out;
      while (err.ends_with('\n')) err.pop_back();
      return unavailable("{} {}{}{}", command[0], to_string(*status), err.empty() ? "" : ": ", err);
    }
    if (time.now() >= deadline) return timeout("{} took longer than {}", command[0], within);
    std::array<pollfd, 3> polled{{{reads_out ? child.out().fd() : -1, POLLIN, 0},
                                  {reads_err ? child.err().fd() : -1, POLLIN, 0},
                                  {status ? -1 : child.pid_fd(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), poll_timeout_ms(deadline, time.now()));
    if (polled[0].revents != 0) reads_out = read_more(child.out(), out);
    if (polled[1].revents != 0) reads_err = read_more(child.err(), err);
  }
}

}  // namespace godwit
