// launch/supervised_group.cc: the life of a group, and the next one.
#include "launch/supervised_group.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace godwit {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);
// How long a launcher may take to see that a rank has ended, or to end after all have.
constexpr Duration kUnseenMax = std::chrono::seconds(5);

// "0.5 s", "8 s".
std::string seconds_text(Duration time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

// Behind `mark` in `line`.
std::optional<std::int64_t> number_behind(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + mark.size());
  return parse_whole_number(line.substr(0, line.find_first_not_of("0123456789")));
}

}  // namespace

ExitStatus group_status(const ExitStatus& launcher) {
  constexpr int kSignalMax = 64;
  if (launcher.code > 128 && launcher.code <= 128 + kSignalMax) {
    return {.code = 0, .signal = launcher.code - 128};
  }
  return launcher;
}

std::optional<std::int64_t> failed_rank(const std::deque<std::string>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    // Open MPI: a signal, an exit code. Slurm.
    if (const auto rank = number_behind(*line, "noticed that process rank ")) return rank;
    if (line->find("Process name: [[") != std::string::npos) return number_behind(*line, ",1],");
    if (line->starts_with("srun: error: ")) {
      if (const auto rank = number_behind(*line, ": task ")) return rank;
    }
  }
  return std::nullopt;
}

SupervisedGroup::SupervisedGroup(GroupSetup setup, OutputRelay& relay)
    : setup_(std::move(setup)),
      relay_(relay),
      speaker_(fmt::format("group {}", setup_.group),
               {.name = fmt::format("g{}", setup_.group), .label = label_of(setup_.kind)}),
      lives_(setup_.restarts) {}

std::optional<Time> SupervisedGroup::due() const {
  switch (state_) {
    case State::kWaiting:
      return start_at_.value_or(Time{});
    case State::kRunning:
      return look_at_;
    case State::kSweeping:
      return kill_at_;
    default:
      return std::nullopt;
  }
}

void SupervisedGroup::on_time(Time now) {
  const auto at = due();
  if (!at || now < *at) return;
  if (state_ == State::kWaiting) {
    start(now);
  } else if (state_ == State::kRunning) {
    look_for_unseen_death(now);
  } else {
    sweep(now);
  }
}

void SupervisedGroup::on_end(Time now) {
  if (state_ == State::kRunning) {
    const auto status = process_->status();
    if (!status) return;
    status_ = group_status(*status);
    state_ = State::kSweeping;
    kill_at_ = now + setup_.patience;
  } else {
    std::erase_if(left_, [](const UniqueFd& fd) {
      pollfd polled{fd.fd(), POLLIN, 0};
      return poll(&polled, 1, 0) > 0;
    });
    if (!left_.empty()) return;
  }
  sweep(now);
}

void SupervisedGroup::stop(int signal, Time now) {
  is_stopping_ = true;
  if (state_ == State::kWaiting) {
    state_ = State::kStopped;
  } else if (state_ == State::kRunning && setup_.kind == MpiKind::kPlain) {
    process_->signal_group(signal);
  } else if (state_ == State::kRunning) {
    const auto ranks = find_ranks(processes());
    for (const ProcessEntry& rank : ranks) {
      ::kill(static_cast<pid_t>(rank.pid), signal);
      ::kill(static_cast<pid_t>(rank.pid), SIGCONT);
    }
    // Not started yet, or all on other hosts: then it is the launcher's to end them. (To none but
    // the launcher: Open MPI's may crash if SIGCONT follows.)
    if (ranks.empty()) ::kill(process_->pid(), SIGTERM);
  } else if (state_ == State::kSweeping) {
    kill_at_ = now;
  }
}

void SupervisedGroup::kill(Time now) {
  is_stopping_ = true;
  if (state_ == State::kWaiting) state_ = State::kStopped;
  if (state_ == State::kRunning) kill_all();
  if (state_ == State::kSweeping) kill_at_ = now;
}

void SupervisedGroup::start(Time now) {
  const std::int64_t life = lives_.life();
  if (life > 0) {
    relay_.write_log(speaker_, fmt::format("--- group {} begins anew, life {}\n", group(), life));
  }
  speaker_.last_lines.clear();
  begun_ = now;
  look_at_ = now + kLookEvery;
  had_children_ = false;
  unseen_since_.reset();
  auto process = setup_.start(life);
  if (!process.ok()) {
    status_ = {.code = 1};
    fail(now, fmt::format("could not be started: {}", process.error().message()));
    return;
  }
  process_.emplace(std::move(*process));
  state_ = State::kRunning;
}

// A launcher that is stopped or stuck keeps a dead rank as a zombie, or stays when it has no more
// to wait for; then the group would wait for ever. (Of srun all this happens elsewhere.)
void SupervisedGroup::look_for_unseen_death(Time now) {
  look_at_ = now + kLookEvery;
  if (setup_.kind != MpiKind::kOpenMpi && setup_.kind != MpiKind::kMpich) return;
  auto children = glance_at_children_of(process_->pid());
  if (setup_.kind == MpiKind::kMpich && children.size() == 1) {
    children = glance_at_children_of(children.front().pid);  // of the proxy that starts ranks
  }
  had_children_ = had_children_ || !children.empty();
  const bool has_unseen = std::any_of(children.begin(), children.end(),
                                      [](const ProcessEntry& child) { return child.is_zombie; });
  if (!has_unseen && !(had_children_ && children.empty())) {
    unseen_since_.reset();
    return;
  }
  if (!unseen_since_) unseen_since_ = now;
  if (now - *unseen_since_ < kUnseenMax) return;
  relay_.say(fmt::format("godwit launch: group {}: its launcher does not see that ranks have ended",
                         group()));
  kill_all();
}

// Ends what the launcher has left, then goes on to what comes next.
void SupervisedGroup::sweep(Time now) {
  left_.clear();
  const auto found = find_processes(processes());
  for (const ProcessEntry& process : found) {
    UniqueFd watch = watch_process(process.pid);
    if (watch.is_open()) left_.push_back(std::move(watch));
  }
  if (found.empty()) {
    settle(now);
    return;
  }
  if (now < *kill_at_) return;
  for (const ProcessEntry& process : found) ::kill(static_cast<pid_t>(process.pid), SIGKILL);
  kill_at_ = now + kLookEvery;  // look again, should an end have been missed
}

void SupervisedGroup::settle(Time now) {
  kill_at_.reset();
  relay_.drain(speaker_, *process_);
  setup_.ended(process_->pid());
  process_.reset();
  if (is_stopping_) {
    state_ = State::kStopped;
  } else if (status_.is_ok()) {
    state_ = State::kFinished;
  } else {
    const auto rank = failed_rank(speaker_.last_lines.lines());
    fail(now, rank ? fmt::format("died (rank {} {})", *rank, to_string(status_))
                   : fmt::format("died ({})", to_string(status_)));
  }
}

void SupervisedGroup::fail(Time now, const std::string& how) {
  const auto wait = lives_.next_after(now - begun_);
  if (!wait) {
    state_ = State::kGivenUp;
    relay_.say(fmt::format("godwit launch: group {} {}; it is given up after {} restarts", group(),
                           how, lives_.life()));
    return;
  }
  state_ = State::kWaiting;
  start_at_ = now + *wait;
  relay_.say(fmt::format("godwit launch: group {} {}, starting it again in {} ({} of {})", group(),
                         how, seconds_text(*wait), lives_.life(), lives_.restarts_max()));
}

void SupervisedGroup::kill_all() {
  // The launcher first, so that it does not tell of ends that we have made; but of srun nothing
  // else, because its other process ends the ranks.
  ::kill(process_->pid(), SIGKILL);
  if (setup_.patience > Duration{}) return;
  for (const ProcessEntry& process : find_processes(processes())) {
    ::kill(static_cast<pid_t>(process.pid), SIGKILL);
  }
}

JobProcesses SupervisedGroup::processes() const {
  JobProcesses wanted{.job = setup_.job, .group = group()};
  if (process_) wanted.sessions.insert(process_->pid());
  return wanted;
}

}  // namespace godwit
