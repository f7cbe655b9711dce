// bench/placement_run.cc: forks the nodes and reads their reports through a pipe each.
#include "bench/placement_run.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <numeric>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "base/unique_fd.h"

namespace godwit {
namespace {

// Longer than any step takes: a job that hangs ends with kTimeout.
constexpr std::chrono::seconds kWaitMax{30};
// Longer than any run takes.
constexpr int kRunMs = 300'000;

struct Child {
  pid_t process = 0;
  UniqueFd report;  // to be read from
};

// A name that no other job has: a run follows the next within one process.
std::string next_job_name(const void* job, std::uint64_t run) {
  return fmt::format("placement-{}-{}-{}", ::getpid(), job, run);
}

// False if the process ended without one, or was ended here since it took too long.
bool read_report(const UniqueFd& from, pid_t process, NodeReport& report) {
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

}  // namespace

PlacementJob::PlacementJob(const PlacementCase& that)
    : case_(that),
      pattern_(make_pattern(that.pattern)),
      trace_(*pattern_, that.pattern, that.traced_steps()),
      touches_(trace_.touches(pattern_->rows(), that.warm_steps + that.steps)) {}

Result<PlacementFigures> PlacementJob::run(Placement policy) {
  GODWIT_TRY_ASSIGN(const std::vector<NodeReport> reports, run_nodes(policy));
  return sum_up(reports);
}

Result<std::vector<NodeReport>> PlacementJob::run_nodes(Placement policy) {
  const std::string name = next_job_name(this, ++runs_);
  std::vector<Child> children;
  for (std::int64_t node = 0; node < case_.pattern.nodes; ++node) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return unavailable("cannot make a pipe");
    UniqueFd to_read(ends[0]);
    UniqueFd to_write(ends[1]);
    const pid_t process = ::fork();
    if (process < 0) return unavailable("cannot start a process");
    if (process == 0) {
      const NodeReport report = run_placement_node(case_, policy, *pattern_, trace_, touches_,
                                                   {.nodes = case_.pattern.nodes,
                                                    .node = NodeId{node},
                                                    .rendezvous = "unix:@" + name,
                                                    .job = name,
                                                    .token = "bench",
                                                    .link = case_.link,
                                                    .wait_max = kWaitMax});
      const ssize_t put = ::write(to_write.fd(), &report, sizeof(report));
      ::_exit(put == static_cast<ssize_t>(sizeof(report)) ? 0 : 1);
    }
    children.push_back({process, std::move(to_read)});
  }
  std::vector<NodeReport> reports(children.size());
  for (std::size_t node = 0; node < children.size(); ++node) {
    if (!read_report(children[node].report, children[node].process, reports[node]))
      reports[node].is_ok = false;
    int status = 0;
    ::waitpid(children[node].process, &status, 0);
    if (reports[node].is_ok || reports[node].message[0] != 0) continue;
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("by signal {}", WTERMSIG(status))
                                : fmt::format("with exit code {}", WEXITSTATUS(status));
    fmt::format_to_n(reports[node].message.data(), reports[node].message.size() - 1,
                     "its process ended {}", how);
  }
  return reports;
}

Result<PlacementFigures> PlacementJob::sum_up(const std::vector<NodeReport>& reports) const {
  std::string failures;
  ErrorCode code = ErrorCode::kUnavailable;
  for (std::size_t node = 0; node < reports.size(); ++node) {
    if (reports[node].is_ok) continue;
    failures += fmt::format("{}node {}: {}", failures.empty() ? "" : "; ", node,
                            reports[node].message.data());
    if (reports[node].code == ErrorCode::kCorruption) code = ErrorCode::kCorruption;
  }
  if (!failures.empty()) return Error(code, failures);

  const auto sum = [&](double NodeReport::*field) {
    return std::accumulate(
        reports.begin(), reports.end(), 0.0,
        [&](double so_far, const NodeReport& report) { return so_far + report.*field; });
  };
  const auto max = [&](double NodeReport::*field) {
    double most = 0;
    for (const NodeReport& report : reports) most = std::max(most, report.*field);
    return most;
  };
  const double keys = sum(&NodeReport::keys);
  const auto keys_per_step = static_cast<double>(pattern_->keys_per_step());
  const auto steps = static_cast<double>(case_.steps);
  const auto node_steps = steps * static_cast<double>(reports.size());
  PlacementFigures figures;
  figures.step_seconds = max(&NodeReport::seconds) / steps;
  figures.drain_seconds = reports.front().drain_seconds;
  for (const NodeReport& report : reports) {
    figures.drain_seconds = std::min(figures.drain_seconds, report.drain_seconds);
  }
  const double leased_keys = std::max(1.0, sum(&NodeReport::leased_keys));
  figures.ready_share = 1 - sum(&NodeReport::missed_keys) / leased_keys;
  if (reports.front().brought_keys >= 0) {
    figures.local_share = 1 - sum(&NodeReport::brought_keys) / leased_keys;
  }
  figures.bytes_per_step = sum(&NodeReport::sent_bytes) / node_steps;
  figures.clock_share = sum(&NodeReport::clock_bytes) / std::max(1.0, sum(&NodeReport::sent_bytes));
  figures.frames_per_step = sum(&NodeReport::sent_frames) / node_steps;
  figures.cpu_ns_per_key = sum(&NodeReport::cpu_seconds) / keys * 1e9;
  figures.intend_ns_per_key = max(&NodeReport::intend_p50) / keys_per_step * 1e9;
  figures.resident_rows = sum(&NodeReport::resident_rows);
  const double all_steps = node_steps * static_cast<double>(case_.pattern.workers);
  figures.intend_us = sum(&NodeReport::intend_seconds) / all_steps * 1e6;
  figures.access_us = sum(&NodeReport::access_seconds) / all_steps * 1e6;
  figures.advance_us = sum(&NodeReport::advance_seconds) / all_steps * 1e6;
  figures.long_holds = sum(&NodeReport::long_holds) / std::max(1.0, sum(&NodeReport::holds));
  figures.longest_hold_us = max(&NodeReport::longest_hold) * 1e6;
  figures.access_p50_us = max(&NodeReport::access_p50) * 1e6;
  figures.access_p99_us = max(&NodeReport::access_p99) * 1e6;
  return figures;
}

}  // namespace godwit
