// launch/group_supervisor.cc: one poll loop over table nodes and groups.
#include "launch/group_supervisor.h"

#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/check.h"
#include "launch/job_processes.h"
#include "launch/poll_timeout.h"

namespace godwit {
namespace {

// What comes first in the polled descriptors; three follow for each table node and each group.
constexpr std::size_t kSignals = 0;
constexpr std::size_t kOut = 1;
constexpr std::size_t kErr = 2;
constexpr std::size_t kFirstProcess = 3;

NodeFailure failure_of(std::int64_t number, const ExitStatus& status, const Speaker& speaker) {
  const auto& lines = speaker.last_lines.lines();
  return {number, status, {lines.begin(), lines.end()}, speaker.log ? speaker.log_path : ""};
}

}  // namespace

GroupSupervisor::GroupSupervisor(std::string job,
                                 std::vector<std::unique_ptr<SupervisedNode>> servers,
                                 std::vector<GroupToSupervise> groups,
                                 const GroupSupervisorOptions& options, const TimeSource& time,
                                 SignalIntake& signals, Orphans& orphans)
    : job_(std::move(job)),
      options_(options),
      time_(time),
      signals_(signals),
      orphans_(orphans),
      relay_(options.common.out_fd, options.common.err_fd, options.common.is_quiet),
      servers_(std::move(servers)) {
  for (GroupToSupervise& group : groups) {
    groups_.push_back(std::make_unique<SupervisedGroup>(std::move(group.setup), relay_));
    groups_.back()->speaker().log = std::move(group.log);
    groups_.back()->speaker().log_path = std::move(group.log_path);
  }
}

GroupLaunchOutcome GroupSupervisor::run() {
  for (const auto& group : groups_) group->on_time(time_.now());
  while (!is_over()) wait_for_events();
  return outcome();
}

bool GroupSupervisor::have_groups_ended() const {
  return std::all_of(groups_.begin(), groups_.end(),
                     [](const auto& group) { return group->is_over(); });
}

bool GroupSupervisor::have_all_ended() const {
  return have_groups_ended() && std::all_of(servers_.begin(), servers_.end(),
                                            [](const auto& server) { return server->has_ended; });
}

bool GroupSupervisor::has_finished_group() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const auto& group) {
    return group->state() == SupervisedGroup::State::kFinished;
  });
}

bool GroupSupervisor::is_over() {
  if (!have_all_ended() || !strays_.empty()) return false;
  if (!is_swept_) {
    if (find_strays()) return false;
    is_swept_ = true;
    for (const auto& server : servers_) relay_.drain(server->speaker, server->process);
  }
  const bool is_patience_over = was_interrupted_ && phase_ == Phase::kKilled;
  return drop_output_ || is_patience_over || relay_.is_written();
}

void GroupSupervisor::poll_all() {
  polled_.clear();
  const auto add = [&](int fd, short events, bool wanted) {
    polled_.push_back({wanted ? fd : -1, events, 0});  // poll() skips negative descriptors
  };
  const auto add_process = [&](ChildProcess* process, bool has_ended) {
    const bool takes_output = process != nullptr && relay_.takes_more();
    add(process != nullptr ? process->out().fd() : -1, POLLIN, takes_output);
    add(process != nullptr ? process->err().fd() : -1, POLLIN, takes_output);
    add(process != nullptr ? process->pid_fd() : -1, POLLIN, !has_ended);
  };
  add(signals_.fd(), POLLIN, true);
  add(relay_.out().fd(), POLLOUT, relay_.out().pending() > 0);
  add(relay_.err().fd(), POLLOUT, relay_.err().pending() > 0);
  for (const auto& server : servers_) add_process(&server->process, server->has_ended);
  for (const auto& group : groups_) {
    add_process(group->process(), group->state() != SupervisedGroup::State::kRunning);
  }
  for (const auto& group : groups_) {
    for (const UniqueFd& left : group->left()) add(left.fd(), POLLIN, true);
  }
  for (const UniqueFd& stray : strays_) add(stray.fd(), POLLIN, true);
  if (poll(polled_.data(), polled_.size(), poll_timeout_ms(deadline(), time_.now())) < 0) {
    GODWIT_CHECK_EQ(errno, EINTR);
    for (pollfd& polled : polled_) polled.revents = 0;
  }
}

std::optional<Time> GroupSupervisor::deadline() const {
  std::optional<Time> first;
  const auto add = [&](const std::optional<Time>& at) {
    if (at && (!first || *at < *first)) first = at;
  };
  add(kill_at_);
  if (phase_ == Phase::kRunning) add(servers_end_by_);
  for (const auto& group : groups_) add(group->due());
  return first;
}

void GroupSupervisor::wait_for_events() {
  poll_all();
  // In this order, so that what a process wrote before it ended is taken before its end.
  if (polled_[kSignals].revents != 0) take_signals();
  if (polled_[kOut].revents != 0) relay_.out().write_some();
  if (polled_[kErr].revents != 0) relay_.err().write_some();
  const pollfd* events = &polled_[kFirstProcess];
  bool has_server_end = false;
  for (const auto& server : servers_) {
    if (events[0].revents != 0) relay_.take_out(server->speaker, server->process);
    if (events[1].revents != 0) relay_.take_err(server->speaker, server->process);
    has_server_end = has_server_end || events[2].revents != 0;
    events += 3;
  }
  const pollfd* left = events + 3 * groups_.size();
  bool has_group_end = false;
  for (const auto& group : groups_) {
    const std::size_t left_count = group->left().size();
    if (events[0].revents != 0) relay_.take_out(group->speaker(), *group->process());
    if (events[1].revents != 0) relay_.take_err(group->speaker(), *group->process());
    const bool has_end = events[2].revents != 0 ||
                         std::any_of(left, left + left_count,
                                     [](const pollfd& polled) { return polled.revents != 0; });
    if (has_end) group->on_end(time_.now());
    has_group_end = has_group_end || has_end;
    events += 3;
    left += left_count;
  }
  for (std::size_t i = strays_.size(); i-- > 0;) {
    if (left[i].revents != 0) strays_.erase(strays_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (has_group_end) orphans_.take();  // the zombies; who lives is looked for at the end
  if (has_server_end) take_server_ends();
  const Time now = time_.now();
  for (const auto& group : groups_) group->on_time(now);
  decide(now);
}

void GroupSupervisor::take_signals() {
  while (const auto signal = signals_.take()) {
    if (is_swept_) {
      drop_output_ = true;
    } else if (phase_ == Phase::kRunning) {
      was_interrupted_ = true;
      stop(*signal == SIGINT ? SIGINT : SIGTERM, options_.common.interrupt_grace);
    } else if (phase_ == Phase::kStopping) {
      kill_all();
    }
  }
}

void GroupSupervisor::take_server_ends() {
  std::vector<NodeEnd> ends;
  for (const auto& server : servers_) {
    if (server->has_ended) continue;
    const auto status = server->process.status();
    if (!status) continue;
    server->has_ended = true;
    ends.push_back({server->node, *status, is_told(*status)});
  }
  sort_simultaneous(ends);
  ends_.insert(ends_.end(), ends.begin(), ends.end());
  if (phase_ == Phase::kRunning && first_cause(ends)) stop(SIGTERM, options_.common.failure_grace);
}

// As for the nodes of a job without groups: once told to end, any code is an answer.
bool GroupSupervisor::is_told(const ExitStatus& status) const {
  if (phase_ == Phase::kRunning) return false;
  if (status.signal == 0 || status.signal == sent_signal_) return true;
  return phase_ == Phase::kKilled && status.signal == SIGKILL;
}

void GroupSupervisor::decide(Time now) {
  if (phase_ == Phase::kRunning && have_groups_ended() && !have_all_ended()) {
    if (!has_finished_group()) {
      stop(SIGTERM, options_.common.failure_grace);
    } else if (!servers_end_by_) {
      servers_end_by_ = now + options_.server_grace;
    } else if (now >= *servers_end_by_) {
      relay_.say("godwit launch: all groups have ended but not all table nodes: ending those");
      stop(SIGTERM, options_.common.failure_grace);
    }
  }
  if (kill_at_ && now >= *kill_at_) kill_all();
}

// Looks for processes that the job has left anywhere on this host, and has them killed.
bool GroupSupervisor::find_strays() {
  auto found = find_processes({.job = job_});
  const auto orphans = orphans_.take();
  found.insert(found.end(), orphans.begin(), orphans.end());
  std::set<std::int64_t> server_groups;
  for (const auto& server : servers_) server_groups.insert(server->process.pid());
  for (const std::int64_t pid : members_of(server_groups)) found.push_back({.pid = pid});
  for (const ProcessEntry& process : found) {
    UniqueFd watch = watch_process(process.pid);
    kill(static_cast<pid_t>(process.pid), SIGKILL);
    if (watch.is_open()) strays_.push_back(std::move(watch));
  }
  return !strays_.empty();
}

void GroupSupervisor::stop(int signal, Duration grace) {
  phase_ = Phase::kStopping;
  sent_signal_ = signal;
  kill_at_ = time_.now() + grace;
  for (const auto& server : servers_) server->process.signal_group(signal);
  for (const auto& group : groups_) group->stop(signal, time_.now());
}

void GroupSupervisor::kill_all() {
  phase_ = Phase::kKilled;
  kill_at_.reset();
  for (const auto& server : servers_) server->process.signal_group(SIGKILL);
  for (const auto& group : groups_) group->kill(time_.now());
}

GroupLaunchOutcome GroupSupervisor::outcome() const {
  GroupLaunchOutcome outcome;
  outcome.was_interrupted = was_interrupted_;
  if (const auto cause = first_cause(ends_)) {
    const NodeEnd& end = ends_[*cause];
    const SupervisedNode& server = *servers_[static_cast<std::size_t>(end.node)];
    outcome.server_failure = failure_of(end.node, end.status, server.speaker);
  }
  for (const auto& group : groups_) {
    const GroupEnd end{group->group(), group->restarts(), group->status()};
    if (group->state() == SupervisedGroup::State::kFinished) outcome.finished.push_back(end);
    if (group->state() != SupervisedGroup::State::kGivenUp) continue;
    outcome.given_up.push_back(end);
    if (!outcome.group_failure) {
      outcome.group_failure = failure_of(end.group, end.status, group->speaker());
    }
  }
  outcome.exit_code = exit_code_of(outcome);
  return outcome;
}

}  // namespace godwit
