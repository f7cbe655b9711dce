// pace/auto_pace.cc: stages, and the fastest pair for a batch.
#include "pace/auto_pace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace godwit {

AutoPace::AutoPace(PaceTimings* timings, const AutoPaceOptions& options)
    : timings_(timings), options_(options) {
  GODWIT_CHECK_GE(options.compute_slack, 0.0);
}

PaceChoice AutoPace::choice(std::uint32_t live) const {
  GODWIT_CHECK_GE(live, 1U);
  // One sample has no two halves, which tell the noise.
  if (stage_ == 0) return {live, timings_->ladder().lowest_from(2)};
  const Pair& pair = trial_.is_running() ? tried_ : pair_;
  return {std::min(pair.k, live), timings_->ladder()[pair.rung]};
}

bool AutoPace::wants_reference(std::uint64_t /*step*/) const {
  return distance_.wants_reference();
}

bool AutoPace::wants_distance(std::uint64_t step) const {
  return distance_.wants_distance(step);
}

void AutoPace::on_distance(std::uint64_t step, double squared) {
  // The step that is under way was begun with what was wanted before: see on_step().
  has_fired_ = distance_.on_distance(step, squared) || has_fired_;
}

std::optional<double> AutoPace::predicted_seconds() const {
  if (stage_ == 0) return std::nullopt;
  return trial_.is_running() ? tried_.seconds : pair_.seconds;
}

void AutoPace::on_step(const PaceFeedback& feedback) {
  const bool is_rising = guard_.note(feedback.mean_loss);
  if (stage_ == 0) {
    if (++profiled_ >= kProfileSteps) begin_stages();
    return;
  }
  distance_.on_begin(feedback.step);
  ++since_retime_;
  const bool has_fired = std::exchange(has_fired_, false);
  if (is_rising && batch_ < batch_max()) return advance("loss rises");
  if (has_fired && is_sure_) return advance("no way made");
  if (has_fired) {
    is_sure_ = true;
    distance_.restart();
  }
  const bool is_changed = feedback.live != timings_->table().live();
  if (is_changed) trial_.cancel();
  if (trial_.is_running()) {
    if (const auto cost = trial_.note_trial(feedback.seconds)) end_trial(*cost);
    return;
  }
  trial_.note_usual(feedback.seconds);
  if (is_changed || is_late(feedback.seconds) || since_retime_ >= retime_after_) {
    retime();
    choose();
    if (is_changed) reason_ = "workers changed";
    look_for_calm();
    if (!distance_.is_running() && batch_ < batch_max()) distance_.restart();
  }
}

bool AutoPace::is_late(double seconds) {
  if (seconds > kLateCost * pair_.seconds) {
    ++late_steps_;
  } else if (late_steps_ > 0) {
    --late_steps_;
  }
  return late_steps_ >= kLateSteps;
}

void AutoPace::look_for_calm() {
  if (calm_cost(fastest(afforded()).seconds) > kTrialCost || !trial_.may_begin()) return;
  tried_ = fastest(batch_max());
  trial_.begin();
}

void AutoPace::end_trial(double cost) {
  if (cost <= kCalmCost && batch_ < batch_max()) take_largest();
}

void AutoPace::take_largest() {
  batch_ = batch_max();
  ++stage_;
  enter_stage("nobody is slow");
}

void AutoPace::begin_stages() {
  retime();
  if (timings_->table().live() == 0) return;  // no times yet: profile on
  stage_ = 1;
  batch_ = first_batch();
  pair_ = fastest(batch_);
  ride(pair_.seconds);
  enter_stage("start");
}

void AutoPace::advance(std::string_view reason) {
  retime();
  const double seconds = fastest(afforded()).seconds;
  batch_ = std::min(kGrowth * batch_, std::max(batch_, batch_max()));
  ++stage_;
  ride(seconds);
  enter_stage(reason);
}

void AutoPace::enter_stage(std::string_view reason) {
  reason_ = reason;
  is_sure_ = false;
  trial_.cancel();
  trial_.forget_usual();
  choose();
  if (batch_ < batch_max()) {
    distance_.restart();
  } else {
    distance_.stop();
  }
}

void AutoPace::on_noise(double variance, double squared) {
  if (stage_ > 0 || !std::isfinite(variance) || !std::isfinite(squared)) return;
  variance_ += variance;
  squared_ += squared;
}

double AutoPace::first_batch() const {
  const double lowest = timings_->ladder().lowest();
  const double most = std::max(lowest, kFirstShareMax * batch_max());
  if (!(variance_ > 0)) return lowest;
  return squared_ > 0 ? std::clamp(variance_ / squared_, lowest, most) : most;
}

double AutoPace::calm_cost(double seconds) const {
  const double most = batch_max();
  if (afforded() >= most) return std::numeric_limits<double>::infinity();
  return fastest(most).seconds / seconds;
}

void AutoPace::ride(double seconds) {
  const double most = batch_max();
  if (calm_cost(seconds) <= kCalmCost) batch_ = most;
  while (batch_ < most) {
    const double next = std::min(kRideGrowth * batch_, most);
    if (fastest(next).seconds > kRideCost * seconds) return;
    batch_ = next;
  }
}

void AutoPace::retime() {
  timings_->retime();
  if (stage_ > 0) retime_after_ = std::min(2 * retime_after_, kRetimeEvery);
  since_retime_ = 0;
  late_steps_ = 0;
}

void AutoPace::choose() {
  const double batch = afforded();
  if (batch < batch_) {
    reason_ = kSlow;
  } else if (reason_ == kSlow) {
    reason_ = "nobody is slow any more";
  }
  const Pair best = fastest(batch);
  const Pair kept = pair_with(batch, pair_.rung);
  const Pair before = pair_;
  pair_ = kept.k > 0 && kept.seconds <= kHysteresis * best.seconds ? kept : best;
  // Steps of another pair may have been slow for a reason that is no more.
  if (pair_.k != before.k || pair_.rung != before.rung) trial_.forget_usual();
}

AutoPace::Pair AutoPace::pair_with(double batch, std::size_t rung) const {
  const double k = std::max(1.0, std::ceil(batch / timings_->ladder()[rung] - 1e-9));
  if (k > timings_->table().live()) return {};
  const auto whole = static_cast<std::uint32_t>(k);
  return {whole, rung, timings_->table().mu(whole, rung)};
}

AutoPace::Pair AutoPace::fastest(double batch) const {
  if (timings_->table().live() == 0) return pair_;
  const std::size_t rungs = timings_->ladder().size();
  Pair best;
  for (std::size_t rung = 0; rung < rungs; ++rung) {
    const Pair pair = pair_with(batch, rung);
    if (pair.k > 0 && (best.k == 0 || pair.seconds < best.seconds)) best = pair;
  }
  if (best.k == 0) {
    const std::uint32_t all = timings_->table().live();
    return {all, rungs - 1, timings_->table().mu(all, rungs - 1)};
  }
  for (std::size_t rung = 0; rung < best.rung; ++rung) {
    const Pair pair = pair_with(batch, rung);
    if (pair.k > 0 && pair.seconds <= (1 + options_.compute_slack) * best.seconds) return pair;
  }
  return best;
}

std::uint32_t AutoPace::worth_waiting_for() const {
  const TimingTable& table = timings_->table();
  const std::size_t full = timings_->ladder().size() - 1;
  const auto price = [&](std::uint32_t k) { return table.mu(k, full) / k; };
  const std::uint32_t half = (table.live() + 1) / 2;
  std::uint32_t worth = half;
  double least = price(half);
  for (std::uint32_t k = half + 1; k <= table.live(); ++k) {
    least = std::min(least, price(k));
    if (price(k) <= kPriceMax * least) worth = k;
  }
  return worth;
}

double AutoPace::afforded() const {
  if (timings_->table().live() == 0) return batch_;
  const double worth = static_cast<double>(worth_waiting_for()) * timings_->ladder().full();
  return batch_ <= worth ? batch_ : std::min(worth, batch_max());
}

double AutoPace::batch_max() const {
  const TimingTable& table = timings_->table();
  if (table.live() == 0) return batch_;
  const std::size_t full = timings_->ladder().size() - 1;
  const auto most = static_cast<std::uint32_t>(std::ceil(kShareMax * table.live()));
  const double brings = static_cast<double>(table.live()) / most;
  const bool is_cliff = table.mu(table.live(), full) > kRideCost * brings * table.mu(most, full);
  const double share = (is_cliff ? kShareMax : 1) * table.live();
  return std::min<double>(share, worth_waiting_for()) * timings_->ladder().full();
}

}  // namespace godwit
