// launch/supervisor.cc: one poll loop.
#include "launch/supervisor.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/check.h"
#include "launch/poll_timeout.h"
#include "launch/process_table.h"

namespace godwit {

SupervisedNode::SupervisedNode(std::int64_t number, ChildProcess started)
    : node(number),
      process(std::move(started)),
      speaker(fmt::format("node {}", number), {.name = fmt::format("{}", number)}) {}

Supervisor::Supervisor(std::vector<std::unique_ptr<SupervisedNode>> nodes,
                       const SupervisorOptions& options, const TimeSource& time,
                       SignalIntake& signals)
    : options_(options),
      time_(time),
      signals_(signals),
      nodes_(std::move(nodes)),
      relay_(options.out_fd, options.err_fd, options.is_quiet),
      live_(nodes_.size()) {}

LaunchOutcome Supervisor::run() {
  while (!is_over()) wait_for_events();
  return outcome();
}

bool Supervisor::is_over() {
  if (live_ > 0 || !stray_fds_.empty()) return false;
  if (!is_swept_) {
    if (find_strays()) return false;
    is_swept_ = true;
    for (const auto& node : nodes_) relay_.drain(node->speaker, node->process);
  }
  const bool is_patience_over = was_interrupted_ && phase_ == Phase::kKilled;
  return drop_output_ || is_patience_over || relay_.is_written();
}

void Supervisor::wait_for_events() {
  // In this order, so that what a node wrote before it ended is taken before its end.
  polled_.clear();
  const auto add = [&](int fd, short events, bool wanted) {
    polled_.push_back({wanted ? fd : -1, events, 0});  // poll() skips negative descriptors
  };
  const bool takes_output = relay_.takes_more();
  add(signals_.fd(), POLLIN, true);
  add(relay_.out().fd(), POLLOUT, relay_.out().pending() > 0);
  add(relay_.err().fd(), POLLOUT, relay_.err().pending() > 0);
  for (const auto& node : nodes_) {
    add(node->process.out().fd(), POLLIN, takes_output);
    add(node->process.err().fd(), POLLIN, takes_output);
    add(node->process.pid_fd(), POLLIN, !node->has_ended);
  }
  for (const UniqueFd& stray : stray_fds_) add(stray.fd(), POLLIN, true);
  if (poll(polled_.data(), polled_.size(), poll_timeout_ms(kill_at_, time_.now())) < 0) {
    GODWIT_CHECK_EQ(errno, EINTR);
    return;
  }

  if (polled_[0].revents != 0) take_signals();
  if (polled_[1].revents != 0) relay_.out().write_some();
  if (polled_[2].revents != 0) relay_.err().write_some();
  bool has_end = false;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    SupervisedNode& node = *nodes_[i];
    const pollfd* events = &polled_[3 + 3 * i];
    if (events[0].revents != 0) relay_.take_out(node.speaker, node.process);
    if (events[1].revents != 0) relay_.take_err(node.speaker, node.process);
    has_end = has_end || events[2].revents != 0;
  }
  for (std::size_t i = stray_fds_.size(); i-- > 0;) {
    const auto at = stray_fds_.begin() + static_cast<std::ptrdiff_t>(i);
    if (polled_[3 + 3 * nodes_.size() + i].revents != 0) stray_fds_.erase(at);
  }
  if (has_end) take_ends();
  if (kill_at_ && time_.now() >= *kill_at_) kill_all();
}

void Supervisor::take_signals() {
  while (const auto signal = signals_.take()) {
    if (is_swept_) {
      drop_output_ = true;
    } else if (phase_ == Phase::kRunning) {
      was_interrupted_ = true;
      stop(*signal == SIGINT ? SIGINT : SIGTERM, options_.interrupt_grace);
    } else if (phase_ == Phase::kStopping) {
      kill_all();
    }
  }
}

void Supervisor::take_ends() {
  std::vector<NodeEnd> ends;
  for (const auto& node : nodes_) {
    if (node->has_ended) continue;
    const auto status = node->process.status();
    if (!status) continue;
    node->has_ended = true;
    --live_;
    if (is_spared(*node, *status)) {
      relay_.say(fmt::format("godwit: node {} {}; the job goes on without it", node->node,
                             to_string(*status)));
      continue;
    }
    ends.push_back({node->node, *status, is_told(*status)});
  }
  sort_simultaneous(ends);
  ends_.insert(ends_.end(), ends.begin(), ends.end());
  if (phase_ == Phase::kRunning && first_cause(ends)) stop(SIGTERM, options_.failure_grace);
}

// Once a node was told to end, whatever code it exits with is its answer; only a signal that we did
// not send is news.
bool Supervisor::is_told(const ExitStatus& status) const {
  if (phase_ == Phase::kRunning) return false;
  if (status.signal == 0 || status.signal == sent_signal_) return true;
  return phase_ == Phase::kKilled && status.signal == SIGKILL;
}

bool Supervisor::is_spared(const SupervisedNode& node, const ExitStatus& status) const {
  return phase_ == Phase::kRunning && node.node >= options_.spared_from &&
         (status.signal != 0 || status.code == kExitLostNodes);
}

// Looks for processes that ended nodes have left in their groups, and has them ended too.
bool Supervisor::find_strays() {
  std::set<std::int64_t> groups;
  for (const auto& node : nodes_) groups.insert(node->process.pid());
  const auto members = members_of(groups);
  if (members.empty()) return false;
  for (const std::int64_t pid : members) {
    UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
    if (fd.is_open()) stray_fds_.push_back(std::move(fd));
  }
  if (phase_ == Phase::kKilled) {
    signal_all(SIGKILL);
  } else {
    // Also if an interrupt was handed on: what a shell runs in the background ignores SIGINT.
    const std::optional<Time> kill_at = kill_at_;
    stop(SIGTERM, options_.failure_grace);
    kill_at_ = std::min(*kill_at_, kill_at.value_or(*kill_at_));
  }
  return true;
}

void Supervisor::stop(int signal, Duration grace) {
  phase_ = Phase::kStopping;
  sent_signal_ = signal;
  kill_at_ = time_.now() + grace;
  signal_all(signal);
}

void Supervisor::kill_all() {
  phase_ = Phase::kKilled;
  kill_at_.reset();
  signal_all(SIGKILL);
}

void Supervisor::signal_all(int signal) {
  for (const auto& node : nodes_) node->process.signal_group(signal);
}

LaunchOutcome Supervisor::outcome() const {
  LaunchOutcome outcome;
  outcome.was_interrupted = was_interrupted_;
  std::optional<ExitStatus> status;
  const auto speaker_of = [&](const NodeEnd& end) -> const Speaker& {
    return nodes_[static_cast<std::size_t>(end.node)]->speaker;
  };
  if (const auto cause = first_cause(ends_)) {
    const NodeEnd& end = ends_[teller_of(ends_, *cause, [&](const NodeEnd& one) {
      return !speaker_of(one).last_lines.lines().empty();
    })];
    const Speaker& speaker = speaker_of(end);
    const auto& lines = speaker.last_lines.lines();
    status = end.status;
    outcome.failure = NodeFailure{
        end.node, end.status, {lines.begin(), lines.end()}, speaker.log ? speaker.log_path : ""};
  }
  outcome.exit_code = exit_code_of(status, was_interrupted_);
  return outcome;
}

}  // namespace godwit
