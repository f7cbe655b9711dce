// bench/run_program.cc: reads both pipes until they end.
#include "bench/run_program.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/errors.h"
#include "base/time_source.h"
#include "base/try.h"
#include "launch/child_process.h"

namespace godwit {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{64} << 10;

// False at its end.
bool read_some(int fd, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  if (text.size() > 2 * kKeptBytes) text.erase(0, text.size() - kKeptBytes);
  return got > 0;
}

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const std::size_t before = text.find_last_of("\r\n");
  return std::string(before == std::string_view::npos ? text : text.substr(before + 1));
}

}  // namespace

Result<std::string> run_program(const ProgramRun& run, const Environment& environment,
                                const SignalIntake& signals) {
  std::vector<std::string> arguments{run.path};
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  GODWIT_TRY_ASSIGN(ChildProcess child, ChildProcess::spawn(run.path, arguments, environment));
  const RealTime time;
  const Time deadline = time.now() + run.deadline;
  std::string text;
  bool out_open = true;
  bool err_open = true;
  std::optional<ExitStatus> status;
  while (out_open || err_open || !status) {
    // A descriptor below zero is left out.
    std::array<pollfd, 4> entries{{{out_open ? child.out().fd() : -1, POLLIN, 0},
                                   {err_open ? child.err().fd() : -1, POLLIN, 0},
                                   {status ? -1 : child.pid_fd(), POLLIN, 0},
                                   {signals.fd(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - time.now()).count();
    if (left <= 0) {
      return timeout("{} did not end within {} s", run.path, run.deadline.count());
    }
    if (::poll(entries.data(), entries.size(), static_cast<int>(left)) < 0 && errno != EINTR) {
      return unavailable("cannot wait for {}", run.path);
    }
    if (entries[3].revents != 0) return aborted("interrupted while {} ran", run.path);
    if (entries[0].revents != 0) out_open = read_some(child.out().fd(), text);
    if (entries[1].revents != 0) err_open = read_some(child.err().fd(), text);
    if (entries[2].revents != 0) status = child.status();
  }
  if (!status->is_ok()) {
    return unavailable("{} {}: {}", run.path, to_string(*status), last_line(text));
  }
  if (text.size() > kKeptBytes) text.erase(0, text.size() - kKeptBytes);
  return text;
}

}  // namespace godwit
