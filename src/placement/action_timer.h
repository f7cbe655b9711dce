// placement/action_timer.h: how many ticks ahead of its use a worker's row must be asked for.
// Not thread-safe; one for each worker. Reads no clock: the caller reports times.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time_source.h"

namespace godwit {

// Acting too early keeps rows away from others, too late makes the first access wait. Let lambda
// be the ticks that the worker makes during one action time (from asking for rows to having them).
// An intent that begins at tick `first` is acted on iff first <= tick + horizon(), the horizon
// being what Poisson(2 * lambda) exceeds once in 10,000 times: an action time to spare.
//
// lambda = action time / smoothed tick time. Tick times are averaged over the last 32, the longest
// counted only as long as the second longest: one pause of any length (evaluation between epochs)
// leaves no trace, where a running mean would take in a tenth of it; ticks in bursts count by their
// mean, if there are two bursts in 32 ticks, and by the speed within a burst if not; and a change
// of speed is fully seen after 40 ticks (the mean is taken anew every eighth). What this errs, it
// errs to the early side: 3 % for ticks of random (exponential) length, nothing for even ones.
//
// Action times are measured in *probes*, in which the horizon is half an action time, or two ticks
// if that is more (with one, all leases of a probe are late): who measures while asking for as much
// as the horizon allows measures the queue that this makes, asks for more, and drowns (seen:
// 150,000 rows under way where 2,000 are enough). A probe takes four actions, of which the median
// counts; there is one at the start, then one in 2,048 ticks, or in 400 action times, and sooner if
// leases come late again and again.
class ActionTimer {
 public:
  static constexpr std::int64_t kHorizonMax = INT64_MAX / 2;  // adding a tick does not overflow

  // The worker ended a tick. REQUIRES: `now` is not before that of the last call.
  void note_tick(Time now);

  // Rows asked for at `begun` arrived after `took`. REQUIRES: took >= 0.
  void note_action(Time begun, Duration took);

  // A lease that was asked for in time had to be waited for.
  void note_late() { ++late_; }

  // At least 1, since asking in the tick of the access is always late. Costs nothing: computed when
  // something is noted.
  std::int64_t horizon() const { return horizon_; }

  // Ticks in one action time; 0 until three ticks and a probe were noted.
  double lambda() const { return lambda_; }
  bool is_probing() const { return probe_begun_.has_value(); }

  // The horizon for a lambda: exact below 8, above it at most 1 off. REQUIRES: lambda >= 0.
  static std::int64_t horizon_for(double lambda);

 private:
  static constexpr std::size_t kTicksKept = 32;
  static constexpr std::size_t kTicksTogether = 8;
  static constexpr std::size_t kProbeActions = 4;
  static constexpr std::int64_t kHorizonAtStart = 2;

  bool is_probe_due() const;
  void update();

  std::optional<Time> last_tick_;
  std::array<Duration, kTicksKept> tick_times_{};  // a ring
  std::uint64_t tick_times_noted_ = 0;
  double tick_ns_ = 0;     // averaged
  double action_ns_ = -1;  // of the last probe

  std::optional<Time> probe_begun_ = Time::min();
  std::array<Duration, kProbeActions> probed_{};
  std::size_t probed_noted_ = 0;
  std::int64_t ticks_since_probe_ = 0;
  std::int64_t late_ = 0;  // since the last probe

  double lambda_ = 0;
  bool was_probing_ = true;  // at the last update()
  std::int64_t horizon_ = kHorizonAtStart;
};

}  // namespace godwit
