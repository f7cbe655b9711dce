// core/step_leader.cc: a step after the other.
#include "core/step_leader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "pace/adaptive_k.h"
#include "pace/auto_pace.h"
#include "pace/fixed_pace.h"

namespace godwit {
namespace {

constexpr std::size_t kStepsRemembered = 4096;  // when they began
constexpr std::uint64_t kLearnEvery = 32;       // steps between looks at how long workers take
constexpr std::uint64_t kAskEvery = 10;         // for what only people look at
// A timer that is later than this was late for a reason that kept this node from reading, too.
constexpr Duration kLateTimer = std::chrono::milliseconds(250);

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

}  // namespace

StepBegins StepOrders::for_node(NodeId node) const {
  StepBegins begins = head;
  begins.chosen = chosen;
  if (const auto found = shares.find(node); found != shares.end()) begins.shares = found->second;
  return begins;
}

StepLeader::StepLeader(std::int64_t nodes, std::int64_t servers, Duration wait_max)
    : nodes_(nodes), servers_(servers), roster_(wait_max) {}

void StepLeader::begin(const StepOptions& options, std::uint64_t last, Time now) {
  GODWIT_CHECK(state_ == State::kIdle);
  const bool is_same = options_.pace == options.pace && options_.late == options.late &&
                       options_.batch == options.batch &&
                       options_.compute_slack == options.compute_slack;
  if (!is_same) forget_policy();
  options_ = options;
  plan_ = StepPlan::of(options).value();
  step_ = last;
  state_ = State::kJoining;
  is_to_stop_ = false;
  ledger_.reset();
  roster_.begin();
  missing_.clear();
  for (std::int64_t node = 0; node < nodes_; ++node) {
    if (!contains(lost_, NodeId{node})) missing_.push_back(NodeId{node});
  }
  begun_ = waited_since_ = now;
}

void StepLeader::join(NodeId node, std::span<const std::uint32_t> workers, Time now) {
  const std::uint32_t before = roster_.size();
  roster_.add(node, workers);
  if (roster_.size() != before) forget_policy();  // it knows of others
  std::erase(missing_, node);
  begin_if_all_joined(now);
}

void StepLeader::begin_if_all_joined(Time now) {
  if (state_ != State::kJoining || !missing_.empty()) return;
  state_ = State::kRunning;
  roster_.settle();
  if (is_to_stop_) return end_steps({.head = {.step = ++step_}});
  if (roster_.live() == 0) return fail_without_workers();
  ledger_ = std::make_unique<SampleLedger>(options_.samples, options_.epochs, roster_.size());
  first_position_ = options_.first_epoch * options_.samples;
  if (policy_ == nullptr) make_policy();
  waited_since_ = now;
  begin_step(now);
}

// Samples are missing: that is no end as others are.
void StepLeader::fail_without_workers() {
  state_ = State::kIdle;
  if (failure_) return;
  failure_ = unavailable(
      "no worker is left for step {}{}", step_ + (ledger_ == nullptr ? 1 : 0),
      ledger_ == nullptr
          ? std::string(": none was named, or all are lost")
          : fmt::format(": all are lost, {} of {} samples have counted; {}", ledger_->counted(),
                        options_.samples * options_.epochs, last_lost_));
}

void StepLeader::forget_policy() {
  policy_.reset();
  questions_.clear();  // answers to which may still come
}

void StepLeader::make_policy() {
  const LoadLadder ladder(options_.batch);
  timings_ = std::make_unique<PaceTimings>(roster_.size(), ladder);
  policy_step_ = 0;
  learnt_at_.reset();
  time_alarm_ = {};
  if (plan_.pace == StepPlan::Pace::kAuto) {
    policy_ = std::make_unique<AutoPace>(timings_.get(),
                                         AutoPaceOptions{.compute_slack = options_.compute_slack});
    return;
  }
  if (plan_.pace == StepPlan::Pace::kAdaptiveK) {
    policy_ = std::make_unique<AdaptiveK>(
        AdaptiveKOptions{.last_k = roster_.size(), .load = options_.batch});
    return;
  }
  const double load = std::round(plan_.load * static_cast<double>(options_.batch));
  policy_ = std::make_unique<FixedPace>(
      PaceChoice{.k = plan_.k > 0 ? plan_.k : roster_.size(),
                 .load = std::max(1U, static_cast<std::uint32_t>(load))});
}

std::vector<std::uint32_t> StepLeader::takers(const PaceChoice& choice) {
  std::vector<std::uint32_t> takers;
  for (std::uint32_t i = 0; i < roster_.size(); ++i) {
    if (roster_[i].is_live && (!applies_late() || !roster_[i].busy)) takers.push_back(i);
  }
  if (ledger_->left() >= choice.load * takers.size()) {
    // Lest what a slow worker did not bring is given to it again and again.
    if (ledger_->has_returned() && !takers.empty()) {
      const auto first = static_cast<std::ptrdiff_t>(step_ % takers.size());
      std::rotate(takers.begin(), takers.begin() + first, takers.end());
    }
    return takers;
  }
  if (choice.k >= takers.size()) return takers;
  const auto usual = [&](std::uint32_t worker) {
    return timings_->delays().usual_seconds(worker).value_or(std::numeric_limits<double>::max());
  };
  std::stable_sort(takers.begin(), takers.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return usual(a) < usual(b); });
  return takers;
}

void StepLeader::hand_out(StepOrders& orders, const PaceChoice& choice, Time now) {
  for (const std::uint32_t worker : takers(choice)) {
    const auto pieces = ledger_->hand_out(step_, worker, choice.load);
    if (pieces.empty()) break;
    auto& shares = orders.shares[roster_[worker].node];
    for (const SampleRange& piece : pieces) {
      shares.push_back({.first = first_position_ + piece.begin,
                        .count = static_cast<std::uint32_t>(piece.size()),
                        .worker = roster_[worker].worker});
      tally_.assigned += piece.size();
    }
    roster_.give(worker, step_, now);
  }
}

void StepLeader::ask_owners(StepBegins& head) {
  head.keeps_reference = policy_->wants_reference(policy_step_);
  const bool wants_distance = policy_->wants_distance(policy_step_);
  head.tells_movement = wants_distance || policy_->wants_gradient_turn() ||
                        policy_step_ % kAskEvery == 0 || policy_->stage() == 0;
  if (!head.tells_movement) return;
  questions_[step_] = {.policy_step = policy_step_, .wants_distance = wants_distance};
  while (questions_.size() > kStepsRemembered) questions_.erase(questions_.begin());
}

void StepLeader::begin_step(Time now) {
  StepOrders orders;
  orders.chosen = tally_.chosen;
  orders.head = {.step = ++step_,
                 .samples = std::max(tally_.samples, tally_.weight),
                 .late_max = plan_.late_max.value_or(0)};
  const bool was_empty = tally_.chosen.empty();
  tally_ = {};
  for (std::uint32_t i = 0; i < roster_.size(); ++i) timings_->set_live(i, roster_[i].is_live);
  // At first often; not again before there is something new to learn from.
  if (policy_step_ % kLearnEvery == 0 || policy_step_ < kLearnEvery) {
    if (learnt_at_ != policy_step_) roster_.learn(timings_->delays());
    learnt_at_ = policy_step_;
  }
  if (ledger_->is_finished()) return end_steps(std::move(orders));
  choice_ = policy_->choice(roster_.live());
  ask_owners(orders.head);
  begun_ = now;
  if (!was_empty) waited_since_ = now;
  begun_at_.push_back({step_, now, choice_.load});
  if (begun_at_.size() > kStepsRemembered) begun_at_.pop_front();
  hand_out(orders, choice_, now);
  orders_.push_back(std::move(orders));
}

void StepLeader::end_steps(StepOrders orders) {
  orders.head.is_last = true;
  state_ = State::kIdle;
  orders_.push_back(std::move(orders));
  if (timings_ != nullptr) timings_->retime();
}

void StepLeader::stop(Time /*now*/) {
  is_to_stop_ = true;
  if (state_ != State::kRunning) return;
  tally_ = {};
  end_steps({.head = {.step = ++step_}});
}

bool StepLeader::may_come(std::uint32_t worker) const {
  const StepRoster::Place& place = roster_[worker];
  if (!place.is_live || !place.busy) return false;
  // What was taken back cannot count any more.
  return *place.busy + plan_.late_max.value_or(0) >= step_ &&
         !ledger_->given(*place.busy, worker).empty();
}

void StepLeader::end_step_if_due(Time now) {
  if (state_ != State::kRunning) return;
  bool can_come = false;
  for (std::uint32_t i = 0; i < roster_.size(); ++i) can_come = can_come || may_come(i);
  if (tally_.chosen.size() < choice_.k && can_come) return;
  if (roster_.live() == 0 && !ledger_->is_finished()) {
    if (!roster_.are_all_lost()) return;  // somebody may be heard again
    return fail_without_workers();
  }
  // The last samples of an epoch, when there are too few: each of them weighs as all others do.
  if (ledger_->left() == 0) tally_.weight = choice_.batch();
  take_back_old();
  if (!tally_.chosen.empty()) {
    note_step(now);
    ++policy_step_;
  }
  begin_step(now);
}

// What is not counted goes to others: with `drop` all that is under way, else what is too old to be
// counted in the next step. Who is silent has kept what it was given until now: if all were silent
// since an owner of rows was away, it may come yet.
void StepLeader::take_back_old() {
  for (std::uint32_t i = 0; i < roster_.size(); ++i) {
    const auto busy = roster_[i].busy;
    if (!busy) continue;
    const bool is_too_old = !applies_late() || *busy + *plan_.late_max < step_ + 1;
    if (is_too_old && *busy == step_) ++tally_.cancelled;
    if (is_too_old || !roster_[i].is_live) ledger_->come_back(*busy, i);
  }
}

void StepLeader::note_timing(std::uint32_t worker, const StepResult& result, Time now) {
  const auto begun =
      std::lower_bound(begun_at_.begin(), begun_at_.end(), result.step,
                       [](const Begun& one, std::uint64_t step) { return one.step < step; });
  if (begun == begun_at_.end() || begun->step != result.step) return;
  const double compute = static_cast<double>(result.compute_ns) * 1e-9;
  const double spared = static_cast<double>(result.spared_ns) * 1e-9;
  const double comm = std::max(0.0, seconds_of(now - begun->at) - compute + spared);
  timings_->on_timing(result.step, worker, {comm, compute, result.samples, begun->load});
}

std::uint64_t StepLeader::samples_given(std::uint64_t step, std::uint32_t worker) const {
  std::uint64_t samples = 0;
  for (const SampleRange& piece : ledger_->given(step, worker)) samples += piece.size();
  return samples;
}

Result<> StepLeader::on_result(NodeId from, const StepResult& result, Time now) {
  const auto worker = roster_.find(from, static_cast<std::uint32_t>(result.worker.value()));
  if (!worker || result.step == 0 || result.step > step_) {
    return corruption("a result of step {} of worker {} of node {}", result.step,
                      result.worker.value(), from.value());
  }
  if (roster_.hear(*worker, result.step, now)) {
    journal_.alarm(step_, fmt::format("worker {} of node {} is there again", result.worker.value(),
                                      from.value()));
  }
  if (state_ != State::kRunning) return {};
  if (const auto given = samples_given(result.step, *worker);
      given > 0 && (result.is_whole ? result.samples != given : result.samples > given)) {
    return corruption("{} samples of step {} of worker {} of node {}, which was given {}",
                      result.samples, result.step, result.worker.value(), from.value(), given);
  }
  note_timing(*worker, result, now);
  const std::uint64_t age = step_ - result.step;
  if (!result.is_whole) {
    ledger_->come_back(result.step, *worker);
  } else if (ledger_->count(result.step, *worker)) {  // what is too old, it has taken back
    tally_.add(result, from);
    roster_.include(*worker);
    if (age > 0) ++tally_.late_applied;
  } else {
    ++tally_.late_dropped;
  }
  end_step_if_due(now);
  return {};
}

void StepLeader::on_movement(NodeId from, const StepMovement& movement) {
  const auto found = questions_.find(movement.step);
  if (found == questions_.end() || contains(found->second.answered, from)) return;
  Question& question = found->second;
  question.answered.push_back(from);
  question.sum.distance += movement.distance;
  question.sum.turn += movement.turn;
  question.sum.gradient += movement.gradient;
  if (question.answered.size() < static_cast<std::size_t>(servers_)) return;
  if (question.wants_distance) policy_->on_distance(question.policy_step, question.sum.distance);
  turn_ = question.sum.turn;
  const StepRecord* const record =
      journal_.note_gradient(static_cast<std::int64_t>(movement.step) - 1, question.sum.gradient);
  if (record != nullptr) policy_->on_noise(record->variance, record->gradient);
  questions_.erase(found);
}

void StepLeader::do_without(NodeId node, std::string_view why, Time now) {
  lost_.push_back(node);
  last_lost_ = why;
  std::erase(missing_, node);
  for (const std::uint32_t worker : roster_.lose(node)) {
    if (ledger_ != nullptr) ledger_->lose(worker);
    journal_.alarm(
        step_, fmt::format("worker {} of node {} is lost", roster_[worker].worker, node.value()));
  }
  if (state_ == State::kJoining) return begin_if_all_joined(now);
  end_step_if_due(now);
}

Time StepLeader::deadline() const {
  return state_ == State::kRunning ? roster_.deadline() : Time::max();
}

void StepLeader::on_timer(Time now) {
  if (state_ != State::kRunning) return;
  if (const Time due = roster_.deadline(); due < now - kLateTimer) {
    roster_.excuse_until(now + StepRoster::kPatienceMin);
  }
  for (const std::uint32_t worker : roster_.drop_silent(now)) {
    journal_.alarm(step_, fmt::format("worker {} of node {} is silent, and not waited for",
                                      roster_[worker].worker, roster_[worker].node.value()));
  }
  end_step_if_due(now);
}

std::optional<StepOrders> StepLeader::take_orders() {
  if (orders_.empty()) return std::nullopt;
  StepOrders next = std::move(orders_.front());
  orders_.pop_front();
  return next;
}

}  // namespace godwit
