// bench/forked_nodes.h: a job of several processes on this machine, each of which reports once.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/unique_fd.h"
#include "godwit/session.h"

namespace godwit {

// How a node ended: the beginning of each kind of report.
struct ForkedReport {
  bool is_ok = false;
  ErrorCode code = ErrorCode::kUnavailable;  // if not
  std::array<char, 400> message{};

  void fail(const Error& error) {
    is_ok = false;
    code = error.code();
    fmt::format_to_n(message.data(), message.size() - 1, "{}", error.message());
  }
};

// What run(report), which returns a Result<>, made of a node.
template <class Report, class Run>
Report report_of(Run&& run) {
  Report report;
  const auto done = run(report);
  report.is_ok = done.ok();
  if (!done.ok()) report.fail(done.error());
  return report;
}

// All that went wrong, in one error; kCorruption if one of them says so.
template <class Report>
Result<> check_reports(const std::vector<Report>& reports) {
  std::string failures;
  ErrorCode code = ErrorCode::kUnavailable;
  for (std::size_t node = 0; node < reports.size(); ++node) {
    if (reports[node].is_ok) continue;
    failures += fmt::format("{}node {}: {}", failures.empty() ? "" : "; ", node,
                            reports[node].message.data());
    if (reports[node].code == ErrorCode::kCorruption) code = ErrorCode::kCorruption;
  }
  if (failures.empty()) return {};
  return Error(code, failures);
}

namespace internal {

// False if the process ended without one, or was ended here since it took too long.
template <class Report>
bool read_report(const UniqueFd& from, pid_t process, Report& report) {
  constexpr int kRunMs = 300'000;  // longer than any run takes
  pollfd wait{.fd = from.fd(), .events = POLLIN, .revents = 0};
  if (::poll(&wait, 1, kRunMs) == 0) ::kill(process, SIGKILL);
  char* to = reinterpret_cast<char*>(&report);
  for (std::size_t done = 0; done < sizeof(report);) {
    const ssize_t got = ::read(from.fd(), to + done, sizeof(report) - done);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace internal

// run(options) in a process for each node; the options say where it is. REQUIRES: this process has
// one thread; `job` is a name that no other job on this machine has; Report derives from
// ForkedReport and may be copied byte by byte.
template <class Report, class Run>
Result<std::vector<Report>> run_forked(std::int64_t nodes, const std::string& job, Run&& run) {
  constexpr std::chrono::seconds kWaitMax{30};  // longer than any step: a job that hangs ends
  std::vector<std::pair<pid_t, UniqueFd>> children;
  for (std::int64_t node = 0; node < nodes; ++node) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return unavailable("cannot make a pipe");
    UniqueFd to_read(ends[0]);
    UniqueFd to_write(ends[1]);
    const pid_t process = ::fork();
    if (process < 0) return unavailable("cannot start a process");
    if (process == 0) {
      const Report report = run(SessionOptions{.nodes = nodes,
                                               .node = NodeId{node},
                                               .rendezvous = "unix:@" + job,
                                               .job = job,
                                               .token = "bench",
                                               .wait_max = kWaitMax});
      const ssize_t put = ::write(to_write.fd(), &report, sizeof(report));
      ::_exit(put == static_cast<ssize_t>(sizeof(report)) ? 0 : 1);
    }
    children.emplace_back(process, std::move(to_read));
  }
  std::vector<Report> reports(children.size());
  for (std::size_t node = 0; node < children.size(); ++node) {
    Report& report = reports[node];
    if (!internal::read_report(children[node].second, children[node].first, report)) {
      report.is_ok = false;
    }
    int status = 0;
    ::waitpid(children[node].first, &status, 0);
    if (report.is_ok || report.message[0] != 0) continue;
    report.fail(WIFSIGNALED(status)
                    ? unavailable("its process ended by signal {}", WTERMSIG(status))
                    : unavailable("its process ended with exit code {}", WEXITSTATUS(status)));
  }
  return reports;
}

}  // namespace godwit
