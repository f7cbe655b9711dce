// placement/action_timer.cc: a mean that one pause cannot move, and a quantile of Poisson.
#include "placement/action_timer.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.h"

namespace godwit {
namespace {

constexpr double kQuantile = 0.9999;
constexpr double kQuantileNormal = 3.719016485455709;  // the same of the standard normal

// Below this mean the probabilities are summed up, at most 35 of them.
constexpr double kSummedMeanMax = 16;

std::int64_t summed_quantile(double mean) {
  double probability = std::exp(-mean);
  double sum = probability;
  std::int64_t k = 0;
  while (sum < kQuantile) {
    ++k;
    probability *= mean / static_cast<double>(k);
    sum += probability;
  }
  return k;
}

// Cornish and Fisher's expansion for skewness 1 / sqrt(mean) and excess kurtosis 1 / mean. From 16
// on it was wrong by one for one mean in a hundred, and never by more.
double expanded_quantile(double mean) {
  constexpr double kZ = kQuantileNormal;
  const double root = std::sqrt(mean);
  const double skewed = (kZ * kZ - 1) / 6 + (kZ - kZ * kZ * kZ) / (72 * root);
  return std::ceil(mean + kZ * root + skewed - 0.5);
}

// A probe is due after so many ticks, or so many action times if that is longer; or after so many
// ticks of which one in so many had to wait.
constexpr double kProbeEvery = 2048;
constexpr double kProbeLambdas = 400;
constexpr std::int64_t kProbeAgain = 256;
constexpr std::int64_t kLateShare = 32;

// The mean of two or more times, the longest counted as if it were the second longest.
double mean_without_pause_ns(std::span<const Duration> times) {
  Duration sum{0};
  Duration longest{0};
  Duration second{0};
  for (const Duration time : times) {
    sum += time;
    second = std::max(second, std::min(longest, time));
    longest = std::max(longest, time);
  }
  return static_cast<double>((sum - longest + second).count()) / static_cast<double>(times.size());
}

}  // namespace

std::int64_t ActionTimer::horizon_for(double lambda) {
  GODWIT_CHECK_GE(lambda, 0);
  const double mean = 2 * lambda;
  if (mean < kSummedMeanMax) return std::max<std::int64_t>(1, summed_quantile(mean));
  const double quantile = expanded_quantile(mean);
  return quantile < static_cast<double>(kHorizonMax) ? static_cast<std::int64_t>(quantile)
                                                     : kHorizonMax;
}

void ActionTimer::note_tick(Time now) {
  if (last_tick_) {
    GODWIT_CHECK(now >= *last_tick_);
    tick_times_[tick_times_noted_++ % kTicksKept] = now - *last_tick_;
    const std::size_t kept = std::min<std::uint64_t>(tick_times_noted_, kTicksKept);
    // Ticks too fast for the clock count as one unit of it.
    if (kept > 1 && (kept < kTicksKept || tick_times_noted_ % kTicksTogether == 0)) {
      tick_ns_ = std::max(1.0, mean_without_pause_ns({tick_times_.data(), kept}));
    }
  }
  last_tick_ = now;
  ++ticks_since_probe_;
  if (!probe_begun_ && is_probe_due()) {
    probe_begun_ = now;
    probed_noted_ = 0;
  }
  update();
}

void ActionTimer::note_action(Time begun, Duration took) {
  GODWIT_CHECK_GE(took.count(), 0);
  if (!probe_begun_ || begun < *probe_begun_) return;
  probed_[probed_noted_++] = took;
  if (probed_noted_ < kProbeActions) return;
  std::sort(probed_.begin(), probed_.end());
  action_ns_ = static_cast<double>((probed_[1] + probed_[2]).count()) / 2;
  probe_begun_.reset();
  ticks_since_probe_ = 0;
  late_ = 0;
  update();
}

bool ActionTimer::is_probe_due() const {
  if (static_cast<double>(ticks_since_probe_) >= std::max(kProbeEvery, kProbeLambdas * lambda_)) {
    return true;
  }
  return ticks_since_probe_ >= kProbeAgain && late_ >= ticks_since_probe_ / kLateShare;
}

void ActionTimer::update() {
  if (tick_ns_ == 0 || action_ns_ < 0) return;
  const double lambda = action_ns_ / tick_ns_;
  if (probe_begun_) {
    horizon_ = std::max(kHorizonAtStart, static_cast<std::int64_t>(std::min(lambda / 2, 1e18)));
  } else if (lambda_ != lambda || was_probing_) {
    horizon_ = horizon_for(lambda);
  }
  was_probing_ = probe_begun_.has_value();
  lambda_ = lambda;
}

}  // namespace godwit
