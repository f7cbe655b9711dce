// pace/delay_statistics.cc: rings, quantiles, and the regression of computation on samples.
#include "pace/delay_statistics.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace godwit {
namespace {

// The smallest value such that a share p is at or below it. Reorders. REQUIRES: not empty.
double quantile(std::vector<double>& values, double p) {
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The start in compute / samples = slope + start / samples (times scatter in proportion to the
// load, so this weighs every observation alike), by how both sides vary with the load that was
// asked for: 1 / load is the instrument. How much was done is none: who is slow in a step is cut
// short after few samples, all at about the same time, and plain least squares would take that time
// for a cost of starting. Where everything was done the two are the same.
//
// The start counts only if it is twice its standard error, and never exceeds the shortest
// computation seen: noise must not become a cost of starting, which would favour large loads.
// Nothing if only one load was asked for.
std::optional<double> start_of(const std::vector<DelayObservation>& observations) {
  double count = 0;
  for (const DelayObservation& o : observations) count += o.samples > 0 ? 1 : 0;
  double mean_x = 0;
  double mean_y = 0;
  double mean_z = 0;
  double shortest = INFINITY;
  for (const DelayObservation& o : observations) {
    if (o.samples == 0) continue;
    mean_x += 1.0 / o.samples / count;
    mean_y += o.compute_seconds / o.samples / count;
    mean_z += 1.0 / o.asked_load() / count;
    shortest = std::min(shortest, o.compute_seconds);
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double xz = 0;
  double yz = 0;
  double zz = 0;
  for (const DelayObservation& o : observations) {
    if (o.samples == 0) continue;
    const double x = 1.0 / o.samples - mean_x;
    const double y = o.compute_seconds / o.samples - mean_y;
    const double z = 1.0 / o.asked_load() - mean_z;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xz += x * z;
    yz += y * z;
    zz += z * z;
  }
  if (count < 3 || zz <= 1e-12 * mean_z * mean_z * count) return std::nullopt;
  if (!(xz > 0)) return std::nullopt;  // larger loads did not come to more samples
  const double start = yz / xz;
  const double rest = std::max(0.0, yy - 2 * start * xy + start * start * xx) / (count - 2);
  const double error = std::sqrt(rest * zz) / xz;
  if (!(start > 2 * error)) return 0;
  return std::min(start, shortest);
}

bool is_time(double seconds) {
  return std::isfinite(seconds) && seconds >= 0;
}

}  // namespace

DelayStatistics::DelayStatistics(std::uint32_t workers) : rings_(workers) {
  GODWIT_CHECK_GE(workers, 1U);
  for (Ring& ring : rings_) ring.kept.reserve(kKept);
  scratch_.reserve(std::max<std::size_t>(kKept, workers));
}

bool DelayStatistics::note(std::uint32_t worker, const DelayObservation& observation) {
  GODWIT_CHECK_LT(worker, rings_.size());
  Ring& ring = rings_[worker];
  if (!observation.is_something() || !is_time(observation.comm_seconds) ||
      !is_time(observation.compute_seconds)) {
    return false;
  }
  if (observation.samples > 0) {
    ring.last = observation;
  } else if (ring.last.samples == 0) {
    return false;
  }
  if (ring.kept.size() < kKept) {
    ring.kept.push_back(observation);
  } else {
    ring.kept[ring.next] = observation;
    ring.next = (ring.next + 1) % kKept;
  }
  return true;
}

const DelayObservation& DelayStatistics::observation(std::uint32_t worker, std::size_t i) const {
  const Ring& ring = rings_[worker];
  GODWIT_CHECK_LT(i, ring.kept.size());
  return ring.kept[(ring.next + i) % ring.kept.size()];
}

void DelayStatistics::fit() {
  for (Ring& ring : rings_) {
    if (const auto start = start_of(ring.kept)) ring.start_seconds = *start;
  }
}

DelaySplit DelayStatistics::split(std::uint32_t worker, const DelayObservation& observation,
                                  std::size_t turn) const {
  const Ring& ring = rings_[worker];
  const DelayObservation& work = observation.samples > 0 ? observation : computed(ring, turn);
  GODWIT_CHECK_GE(work.samples, 1U);
  const double start = std::min(ring.start_seconds, work.compute_seconds);
  return {observation.comm_seconds + start, (work.compute_seconds - start) / work.samples};
}

const DelayObservation& DelayStatistics::computed(const Ring& ring, std::size_t turn) const {
  for (std::size_t i = 0; i < ring.kept.size(); ++i) {
    const DelayObservation& one = ring.kept[(turn + i) % ring.kept.size()];
    if (one.samples > 0) return one;
  }
  return ring.last;
}

std::optional<DelaySummary> DelayStatistics::summary(std::uint32_t worker) const {
  const std::vector<DelayObservation>& kept = rings_[worker].kept;
  if (kept.empty()) return std::nullopt;
  DelaySummary summary;
  scratch_.clear();
  for (const DelayObservation& o : kept) scratch_.push_back(o.comm_seconds);
  summary.comm_median = quantile(scratch_, 0.5);
  summary.comm_p95 = quantile(scratch_, 0.95);
  scratch_.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    scratch_.push_back(split(worker, kept[i], i).sample_seconds);
  }
  summary.sample_median = quantile(scratch_, 0.5);
  summary.sample_p95 = quantile(scratch_, 0.95);
  summary.total_median = *total_median(worker);
  return summary;
}

std::optional<double> DelayStatistics::usual_seconds(std::uint32_t worker) const {
  GODWIT_CHECK_LT(worker, rings_.size());
  if (const auto own = total_median(worker)) return own;
  std::vector<double> medians;
  for (std::uint32_t other = 0; other < workers(); ++other) {
    if (const auto median = total_median(other)) medians.push_back(*median);
  }
  if (medians.empty()) return std::nullopt;
  return quantile(medians, 0.5);
}

std::optional<double> DelayStatistics::total_median(std::uint32_t worker) const {
  const std::vector<DelayObservation>& kept = rings_[worker].kept;
  if (kept.empty()) return std::nullopt;
  scratch_.clear();
  for (const DelayObservation& o : kept) scratch_.push_back(o.comm_seconds + o.compute_seconds);
  return quantile(scratch_, 0.5);
}

}  // namespace godwit
