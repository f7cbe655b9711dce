// pace/timing_table.cc: the ring of steps, and order statistics by sorting.
#include "pace/timing_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace godwit {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TimingTable::TimingTable(std::uint32_t workers, LoadLadder ladder, std::size_t steps)
    : ladder_(std::move(ladder)),
      workers_(workers),
      steps_(steps, kNone),
      seen_(steps * workers),
      mu_(ladder_.size() * workers),
      fixed_(workers),
      sample_(workers),
      times_(workers) {
  GODWIT_CHECK_GE(workers, 1U);
  GODWIT_CHECK_GE(steps, 1U);
}

void TimingTable::note(std::uint64_t step, std::uint32_t worker,
                       const DelayObservation& observation) {
  GODWIT_CHECK_LT(worker, workers_);
  GODWIT_CHECK(observation.is_something());
  const std::size_t row = step % steps_.size();
  if (steps_[row] != step) {
    if (steps_[row] != kNone && steps_[row] > step) return;
    steps_[row] = step;
    std::fill_n(&seen_[row * workers_], workers_, DelayObservation{});
  }
  seen_[row * workers_ + worker] = observation;
}

void TimingTable::rebuild(const DelayStatistics& delays, std::span<const std::uint8_t> live) {
  GODWIT_CHECK_EQ(live.size(), workers_);
  live_ = 0;
  std::fill(mu_.begin(), mu_.end(), 0.0);
  const auto filled = steps_.size() - static_cast<std::size_t>(std::ranges::count(steps_, kNone));
  const auto count = static_cast<std::uint32_t>(
      std::ranges::count_if(live, [](std::uint8_t is_live) { return is_live != 0; }));
  if (filled == 0 || count == 0) return;
  live_ = count;
  for (std::size_t row = 0; row < steps_.size(); ++row) {
    if (steps_[row] == kNone) continue;
    gather(row, delays, live);
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung) {
      const double load = ladder_[rung];
      for (std::size_t i = 0; i < live_; ++i) times_[i] = fixed_[i] + load * sample_[i];
      std::sort(times_.begin(), times_.begin() + live_);
      for (std::size_t i = 0; i < live_; ++i) mu_[rung * workers_ + i] += times_[i];
    }
  }
  for (double& mu : mu_) mu /= static_cast<double>(filled);
}

double TimingTable::mu(std::uint32_t k, std::size_t rung) const {
  GODWIT_CHECK(k >= 1 && k <= live_ && rung < ladder_.size());
  return mu_[rung * workers_ + k - 1];
}

std::optional<double> TimingTable::seconds(std::uint32_t k, double load) const {
  if (k < 1 || k > live_) return std::nullopt;
  std::size_t above = 0;
  while (above + 1 < ladder_.size() && ladder_[above] < load) ++above;
  const std::size_t below = above > 0 ? above - 1 : 0;
  const double step = ladder_[above] - ladder_[below];
  const double share = step > 0 ? (load - ladder_[below]) / step : 0;
  return mu(k, below) + share * (mu(k, above) - mu(k, below));
}

void TimingTable::gather(std::size_t row, const DelayStatistics& delays,
                         std::span<const std::uint8_t> live) {
  std::size_t known = 0;
  std::size_t strangers = 0;
  for (std::uint32_t worker = 0; worker < workers_; ++worker) {
    if (live[worker] == 0) continue;
    const DelayObservation* seen = &seen_[row * workers_ + worker];
    if (!seen->is_something()) {
      const std::size_t kept = delays.kept(worker);
      if (kept == 0) {
        ++strangers;
        continue;
      }
      // Where in its ring a worker begins does not matter, only that steps differ.
      seen = &delays.observation(worker, row % kept);
    }
    const DelaySplit split = delays.split(worker, *seen, row);
    fixed_[known] = split.fixed_seconds;
    sample_[known] = split.sample_seconds;
    ++known;
  }
  for (std::size_t i = 0; i < strangers; ++i) {
    const std::size_t other = known == 0 ? 0 : (row + i) % known;
    fixed_[known + i] = known == 0 ? 0 : fixed_[other];
    sample_[known + i] = known == 0 ? 0 : sample_[other];
  }
}

}  // namespace godwit
