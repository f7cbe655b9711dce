// group/costs.cc: short trials of each algorithm.
#include "group/costs.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/doubling.h"

namespace godwit {
namespace {

constexpr std::array<std::size_t, 7> kChunkBytes{16U << 10,  32U << 10,  64U << 10, 128U << 10,
                                                 256U << 10, 512U << 10, 2U << 20};

// The shortest of some runs, in seconds; the first one, which may set things up, does not count.
template <class Run>
Result<float> best_of(int runs, const TimeSource& time, Run&& run) {
  Duration best = Duration::max();
  for (int i = 0; i <= runs; ++i) {
    const Time begin = time.now();
    GODWIT_TRY(run());
    if (i > 0) best = std::min(best, Duration(time.now() - begin));
  }
  return std::chrono::duration<float>(best).count();
}

// All ranks get the mean over them.
Result<> agree(CallLinks& links, std::span<float> figures, Scratch& scratch) {
  TensorList list;
  GODWIT_TRY(list.add(figures));
  return run_doubling(links, list, 1.0F / static_cast<float>(links.size()), scratch);
}

class Trials {
 public:
  Trials(CallLinks& links, const TimeSource& time, Scratch& scratch)
      : links_(links), time_(time), scratch_(scratch), values_(Costs::kSizes.back() / 4) {}

  Result<Costs> run() {
    std::array<float, kChunkBytes.size()> rings{};
    for (std::size_t i = 0; i < rings.size(); ++i) {
      costs_.ring.chunk_bytes = kChunkBytes[i];
      GODWIT_TRY_ASSIGN(rings[i], time_one(Algorithm::kRing, Costs::kSizes.size() - 1));
    }
    GODWIT_TRY(agree(links_, rings, scratch_));
    const auto best = std::min_element(rings.begin(), rings.end());
    costs_.ring.chunk_bytes = kChunkBytes[static_cast<std::size_t>(best - rings.begin())];
    for (const Algorithm algorithm : kAlgorithms) {
      auto& seconds = costs_.seconds[static_cast<std::size_t>(algorithm)];
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        const bool is_last = i + 1 == seconds.size();
        if (is_last) {
          // By the bytes: good enough to know that they are not the best.
          seconds[i] = algorithm == Algorithm::kRing ? *best : 8 * seconds[i - 1];
        } else {
          GODWIT_TRY_ASSIGN(seconds[i], time_one(algorithm, i));
        }
      }
      GODWIT_TRY(agree(links_, seconds, scratch_));
    }
    return costs_;
  }

 private:
  Result<float> time_one(Algorithm algorithm, std::size_t size) {
    const std::size_t bytes = Costs::kSizes[size];
    TensorList list;
    GODWIT_TRY(list.add(std::span(values_).first(bytes / sizeof(float))));
    return best_of(bytes <= 65536 ? 8 : 3, time_, [&]() -> Result<> {
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
  return *std::min_element(kAlgorithms.begin(), kAlgorithms.end(), [&](Algorithm a, Algorithm b) {
    return costs.seconds_of(a, bytes) < costs.seconds_of(b, bytes);
  });
}

Result<Costs> measure_costs(CallLinks& links, const TimeSource& time, Scratch& scratch) {
  GODWIT_CHECK_GT(links.size(), 1);
  return Trials(links, time, scratch).run();
}

}  // namespace godwit
