// core/step_leader_report.cc: what the leader of steps tells the policy, and people.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/step_leader.h"
#include "pace/inclusion_monitor.h"

namespace godwit {
namespace {

constexpr std::uint64_t kTellWorkersEvery = 100;
constexpr std::uint64_t kHeldMax = 16;  // records that are not shown yet

}  // namespace

void StepLeader::note_step(Time now) {
  const double took = seconds_of(now - waited_since_);
  if (!first_begun_) first_begun_ = begun_;
  StepRecord record{.step = static_cast<std::int64_t>(step_),
                    .seconds = seconds_of(now - *first_begun_),
                    .k = choice_.k,
                    .load = choice_.load,
                    .samples = tally_.samples,
                    .assigned = tally_.assigned,
                    .took = took,
                    .used = static_cast<std::uint32_t>(tally_.chosen.size()),
                    .late_applied = tally_.late_applied,
                    .late_dropped = tally_.late_dropped,
                    .cancelled = tally_.cancelled,
                    .live = roster_.live(),
                    .loss = tally_.mean_loss(),
                    .variance = tally_.mean_variance(),
                    .gradient = std::nan(""),
                    .expected = expected_seconds().value_or(std::nan("")),
                    .stage = policy_->stage(),
                    .reason = std::string(policy_->reason())};
  look_for_alarms(record);
  journal_.add(std::move(record));
  if (policy_step_ % kTellWorkersEvery == kTellWorkersEvery - 1) {
    tell_workers();
    if (!policy_->predicted_seconds()) timings_->retime();  // else it does so itself
  }
  policy_->on_step({.step = policy_step_,
                    .seconds = took,
                    .used_samples = tally_.samples,
                    .mean_loss = tally_.mean_loss(),
                    .gradient_turn = std::exchange(turn_, std::nullopt),
                    .live = roster_.live()});
}

// What the policy expects or, if it does not care, what workers' times say.
std::optional<double> StepLeader::expected_seconds() const {
  if (const auto predicted = policy_->predicted_seconds()) return predicted;
  return timings_->table().seconds(choice_.k, choice_.load);
}

void StepLeader::tell_workers() {
  for (std::uint32_t i = 0; i < roster_.size(); ++i) {
    const DelaySummary summary = timings_->delays().summary(i).value_or(DelaySummary{});
    journal_.add(StepWorkerRecord{.step = static_cast<std::int64_t>(step_),
                                  .node = roster_[i].node.value(),
                                  .worker = roster_[i].worker,
                                  .comm_median = summary.comm_median,
                                  .comm_p95 = summary.comm_p95,
                                  .compute_median = summary.sample_median,
                                  .compute_p95 = summary.sample_p95,
                                  .included = roster_[i].included,
                                  .is_live = roster_[i].is_live});
  }
}

void StepLeader::look_for_alarms(const StepRecord& record) {
  // With late results a step ends with what others left under way: the table is of fresh work.
  if (!applies_late() && time_alarm_.note(expected_seconds(), record.took)) {
    journal_.alarm(
        step_,
        fmt::format("the last {} steps took {:.2f} times as long as expected{}",
                    StepTimeAlarm::kSteps, time_alarm_.ratio(),
                    time_alarm_.ratio() > 1 ? ": something other than workers is slow" : ""));
  }
  if (has_said_inclusion_ || policy_step_ % kTellWorkersEvery != 0) return;
  std::vector<std::uint32_t> there;  // who is lost is not slow
  for (std::uint32_t i = 0; i < roster_.size(); ++i) {
    if (!roster_[i].is_lost && roster_[i].is_taking_part) there.push_back(i);
  }
  if (there.empty()) return;
  InclusionMonitor inclusion(there.size());
  for (std::size_t i = 0; i < there.size(); ++i) inclusion.note(i, roster_[there[i]].included);
  if (!inclusion.is_alarming()) return;
  has_said_inclusion_ = true;
  const auto counts = inclusion.counts();
  const std::uint32_t least = there[static_cast<std::size_t>(
      std::min_element(counts.begin(), counts.end()) - counts.begin())];
  journal_.alarm(
      step_,
      fmt::format(
          "results of worker {} of node {} counted {} times, those of others up to {}: it is "
          "slow. Its samples are given to others",
          roster_[least].worker, roster_[least].node.value(), roster_[least].included,
          *std::max_element(counts.begin(), counts.end())));
}

StepReport StepLeader::take_report() {
  // What owners still have to say of a step belongs to its record; but not without end.
  std::uint64_t kept = std::numeric_limits<std::int64_t>::max();
  if (state_ == State::kRunning && !questions_.empty()) {
    kept = std::max(questions_.begin()->first, std::max(step_, kHeldMax) - kHeldMax) - 1;
  }
  StepReport report = journal_.take(static_cast<std::int64_t>(kept));
  if (timings_ == nullptr) return report;
  const TimingTable& table = timings_->table();
  const auto loads = table.ladder().loads();
  report.loads.assign(loads.begin(), loads.end());
  for (std::size_t rung = 0; rung < loads.size() && table.live() > 0; ++rung) {
    std::vector<double>& row = report.expected.emplace_back();
    for (std::uint32_t k = 1; k <= table.live(); ++k) row.push_back(table.mu(k, rung));
  }
  return report;
}

std::string StepLeader::describe(Time now) const {
  if (state_ == State::kJoining) {
    return fmt::format("{} nodes to begin steps, node {} the first of them", missing_.size(),
                       missing_.empty() ? 0 : missing_.front().value());
  }
  return fmt::format("step {}: {} results of {} workers have come, {} are enough; {}", step_,
                     tally_.chosen.size(), roster_.live(), choice_.k, roster_.describe_silent(now));
}

}  // namespace godwit
