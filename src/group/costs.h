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
  static constexpr std::array<std::size_t, 6> kSizes{256, 4096, 16384, 65536, 524288, 4194304};
  std::array<std::array<float, kSizes.size()>, kAlgorithms.size()> seconds{};
  RingTuning ring;  // the fastest that was tried

  // In between the sizes by a straight line, and beyond the last as much a byte as there.
  double seconds_of(Algorithm algorithm, std::size_t bytes) const;
};

// The cheapest; the same on all ranks if the costs are.
Algorithm choose(const Costs& costs, std::size_t bytes);

// The same on all ranks, bit by bit: means of what each has measured. Takes some tens of ms.
// REQUIRES: size() > 1.
Result<Costs> measure_costs(CallLinks& links, const TimeSource& time, Scratch& scratch);

}  // namespace godwit
