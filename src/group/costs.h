// group/costs.h: what an allreduce costs in a group by each algorithm, measured once when it is
// opened, and which is the cheapest by that. choose() is pure; measure_costs() is a call of all
// ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "group/call_links.h"
#include "group/ring.h"
#include "group/scratch.h"

namespace godwit {

enum class Algorithm : std::uint8_t { kDoubling, kHalvingDoubling, kRing };
inline constexpr std::array kAlgorithms{Algorithm::kDoubling, Algorithm::kHalvingDoubling,
                                        Algorithm::kRing};

const char* to_string(Algorithm algorithm);

struct Costs {
  // Of lists with so many bytes of floats: seconds by each of kAlgorithms. The two that lay the
  // list into one buffer are not tried on the longest.
  static constexpr std::array<std::size_t, 6> kSizes{256, 4096, 16384, 65536, 524288, 8388608};
  std::array<std::array<float, kSizes.size()>, kAlgorithms.size()> seconds{};
  RingTuning ring;  // the fastest that was tried
  // Longer lists go around a ring: a buffer for them would be in no cache, and stay in memory.
  static constexpr std::size_t kLaidBytesMax = std::size_t{2} << 20;

  // In between the sizes by a straight line, and beyond the last as much a byte as there.
  double seconds_of(Algorithm algorithm, std::size_t bytes) const;
};

// The cheapest of those that lists of this length may take; the same on all ranks if the costs are.
Algorithm choose(const Costs& costs, std::size_t bytes);

// The same on all ranks, bit by bit: means of what each has measured. Takes some tens of ms.
// REQUIRES: size() > 1.
Result<Costs> measure_costs(CallLinks& links, const TimeSource& time, Scratch& scratch);

}  // namespace godwit
