// group/costs.cc: short trials of each algorithm.
#include "group/costs.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/doubling.h"

namespace godwit {
namespace {

// Short chunks for memory that is shared, long ones for sockets, where who is far ahead need not
// wait for who was kept up.
constexpr std::array kRings{RingTuning{32U << 10, 2},  RingTuning{64U << 10, 2},
                            RingTuning{128U << 10, 2}, RingTuning{256U << 10, 2},
                            RingTuning{512U << 10, 2}, RingTuning{512U << 10, 4},
                            RingTuning{1U << 20, 4},   RingTuning{2U << 20, 2}};

// The shortest of some runs, in seconds; the first ones, which may set things up, do not count.
template <class Run>
Result<float> best_of(int runs, int uncounted, const TimeSource& time, Run&& run) {
  Duration best = Duration::max();
  for (int i = 0; i < uncounted + runs; ++i) {
    const Time begin = time.now();
    GODWIT_TRY(run());
    if (i >= uncounted) best = std::min(best, Duration(time.now() - begin));
  }
  return std::chrono::duration<float>(best).count();
}

// All ranks get the mean over them.
Result<> agree(CallLinks& links, std::span<float> figures, Scratch& scratch) {
  TensorList list;
  GODWIT_TRY(list.add(figures));
  return run_doubling(links, list, 1.0F / static_cast<float>(links.size()), scratch);
}

constexpr float kLastStep = static_cast<float>(Costs::kSizes[Costs::kSizes.size() - 1]) /
                            static_cast<float>(Costs::kSizes[Costs::kSizes.size() - 2]);

class Trials {
 public:
  Trials(CallLinks& links, const TimeSource& time, Scratch& scratch)
      : links_(links), time_(time), scratch_(scratch), values_(Costs::kSizes.back() / 4) {}

  Result<Costs> run() {
    GODWIT_TRY_ASSIGN(auto rings, time_rings());
    GODWIT_TRY(agree(links_, rings, scratch_));
    const auto best = std::min_element(rings.begin(), rings.end());
    costs_.ring = kRings[static_cast<std::size_t>(best - rings.begin())];
    for (const Algorithm algorithm : kAlgorithms) {
      auto& seconds = costs_.seconds[static_cast<std::size_t>(algorithm)];
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        const bool is_last = i + 1 == seconds.size();
        if (is_last) {
          // By the bytes: good enough to know that they are not the best.
          seconds[i] = algorithm == Algorithm::kRing ? *best : kLastStep * seconds[i - 1];
        } else {
          GODWIT_TRY_ASSIGN(seconds[i], time_one(algorithm, i));
        }
      }
      GODWIT_TRY(agree(links_, seconds, scratch_));
    }
    return costs_;
  }

 private:
  bool all_have_views(std::size_t bytes) const {
    for (int peer = 0; peer < links_.size(); ++peer) {
      if (peer != links_.rank() && !links_.has_views(peer, bytes)) return false;
    }
    return true;
  }

  // Where all ranks share memory, only with chunks that go through it: the trial's list is in the
  // cache, where longer ones that go another way look better than they are for a long list.
  // In turns, so that a moment in which the machine is slow is nobody's disadvantage.
  Result<std::array<float, kRings.size()>> time_rings() {
    std::array<float, kRings.size()> rings{};
    rings.fill(std::numeric_limits<float>::max());
    TensorList list;
    GODWIT_TRY(list.add(std::span(values_)));
    const bool through_memory = all_have_views(kRings.front().chunk_bytes);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < rings.size(); ++i) {
        if (through_memory && !all_have_views(kRings[i].chunk_bytes)) continue;
        // The first run of all sets things up.
        GODWIT_TRY_ASSIGN(const float taken, best_of(1, round == 0 && i == 0 ? 1 : 0, time_, [&] {
                            return run_ring(links_, list, RingPart::kAllreduce, 1, kRings[i],
                                            scratch_);
                          }));
        rings[i] = std::min(rings[i], taken);
      }
    }
    return rings;
  }

  Result<float> time_one(Algorithm algorithm, std::size_t size) {
    const std::size_t bytes = Costs::kSizes[size];
    TensorList list;
    GODWIT_TRY(list.add(std::span(values_).first(bytes / sizeof(float))));
    return best_of(bytes <= 65536 ? 8 : 3, 1, time_, [&]() -> Result<> {
      switch (algorithm) {
        case Algorithm::kDoubling:
          return run_doubling(links_, list, 1, scratch_);
        case Algorithm::kHalvingDoubling:
          return run_halving_doubling(links_, list, 1, scratch_);
        case Algorithm::kRing:
          return run_ring(links_, list, RingPart::kAllreduce, 1, costs_.ring, scratch_);
      }
      return {};
    });
  }

  CallLinks& links_;
  const TimeSource& time_;
  Scratch& scratch_;
  std::vector<float> values_;
  Costs costs_;
};

}  // namespace

const char* to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kDoubling:
      return "doubling";
    case Algorithm::kHalvingDoubling:
      return "halving-doubling";
    case Algorithm::kRing:
      return "ring";
  }
  return "unknown";
}

double Costs::seconds_of(Algorithm algorithm, std::size_t bytes) const {
  const auto& known = seconds[static_cast<std::size_t>(algorithm)];
  if (bytes <= kSizes.front()) return double{known.front()};
  if (bytes >= kSizes.back()) {
    return double{known.back()} * static_cast<double>(bytes) / static_cast<double>(kSizes.back());
  }
  const auto above = static_cast<std::size_t>(
      std::upper_bound(kSizes.begin(), kSizes.end(), bytes) - kSizes.begin());
  const double share = static_cast<double>(bytes - kSizes[above - 1]) /
                       static_cast<double>(kSizes[above] - kSizes[above - 1]);
  return double{known[above - 1]} * (1 - share) + double{known[above]} * share;
}

Algorithm choose(const Costs& costs, std::size_t bytes) {
  if (bytes > Costs::kLaidBytesMax) return Algorithm::kRing;
  return *std::min_element(kAlgorithms.begin(), kAlgorithms.end(), [&](Algorithm a, Algorithm b) {
    return costs.seconds_of(a, bytes) < costs.seconds_of(b, bytes);
  });
}

Result<Costs> measure_costs(CallLinks& links, const TimeSource& time, Scratch& scratch) {
  GODWIT_CHECK_GT(links.size(), 1);
  return Trials(links, time, scratch).run();
}

}  // namespace godwit
