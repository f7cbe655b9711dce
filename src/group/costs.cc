// group/costs.cc: short trials of exchanges and rings.
#include "group/costs.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/doubling.h"

namespace godwit {
namespace {

constexpr std::array<std::size_t, 5> kChunkBytes{32U << 10, 64U << 10, 128U << 10, 256U << 10,
                                                 512U << 10};
constexpr std::size_t kTrialBytes = std::size_t{2} << 20;

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

double Costs::exchange_seconds(std::size_t bytes) const {
  if (bytes <= kSizes.front()) return double{exchange.front()};
  if (bytes >= kSizes.back()) {
    return double{exchange.back()} * static_cast<double>(bytes) /
           static_cast<double>(kSizes.back());
  }
  const auto above = static_cast<std::size_t>(
      std::upper_bound(kSizes.begin(), kSizes.end(), bytes) - kSizes.begin());
  const double share = static_cast<double>(bytes - kSizes[above - 1]) /
                       static_cast<double>(kSizes[above] - kSizes[above - 1]);
  return double{exchange[above - 1]} * (1 - share) + double{exchange[above]} * share;
}

double cost_of(const Costs& costs, Algorithm algorithm, int ranks, std::size_t bytes) {
  GODWIT_CHECK_GT(ranks, 1);
  const auto size = static_cast<unsigned>(ranks);
  const int levels = std::bit_width(size) - 1;
  // Ranks beyond a power of two give all before and get all after.
  const double extra = std::has_single_bit(size) ? 0 : 2 * costs.exchange_seconds(bytes);
  switch (algorithm) {
    case Algorithm::kDoubling:
      return extra + levels * costs.exchange_seconds(bytes);
    case Algorithm::kHalvingDoubling: {
      double seconds = extra;
      for (int level = 1; level <= levels; ++level) {
        seconds += 2 * costs.exchange_seconds(bytes >> level) + costs.exchange_seconds(0);
      }
      return seconds;
    }
    case Algorithm::kRing:
      return (2 * ranks - 1) * costs.exchange_seconds(0) +
             static_cast<double>(bytes) * double{costs.ring_seconds_per_byte};
  }
  return std::numeric_limits<double>::infinity();
}

Algorithm choose(const Costs& costs, int ranks, std::size_t bytes) {
  Algorithm best = Algorithm::kRing;
  for (const Algorithm algorithm : {Algorithm::kDoubling, Algorithm::kHalvingDoubling}) {
    if (cost_of(costs, algorithm, ranks, bytes) < cost_of(costs, best, ranks, bytes)) {
      best = algorithm;
    }
  }
  return best;
}

Result<Costs> measure_costs(CallLinks& links, const TimeSource& time, Scratch& scratch) {
  Costs costs;
  const int size = links.size();
  const int right = (links.rank() + 1) % size;
  const int left = (links.rank() + size - 1) % size;
  GODWIT_TRY(links.greet(right, left));
  std::vector<std::byte> out(Costs::kSizes.back());
  std::vector<std::byte> in(Costs::kSizes.back());
  for (std::size_t i = 0; i < Costs::kSizes.size(); ++i) {
    const std::size_t bytes = Costs::kSizes[i];
    const int runs = bytes <= 16384 ? 20 : 4;
    GODWIT_TRY_ASSIGN(costs.exchange[i], best_of(runs, time, [&] {
                        return links.swap(right, std::span(out).first(bytes), left,
                                          std::span(in).first(bytes));
                      }));
  }
  GODWIT_TRY(agree(links, costs.exchange, scratch));

  std::vector<float> values(kTrialBytes / sizeof(float));
  TensorList list;
  GODWIT_TRY(list.add(values));
  std::array<float, kChunkBytes.size()> trials{};
  for (std::size_t i = 0; i < kChunkBytes.size(); ++i) {
    const RingTuning tuning{.chunk_bytes = kChunkBytes[i]};
    GODWIT_TRY_ASSIGN(trials[i], best_of(2, time, [&] {
                        return run_ring(links, list, RingPart::kAllreduce, 1, tuning, scratch);
                      }));
  }
  GODWIT_TRY(agree(links, trials, scratch));
  const auto best = static_cast<std::size_t>(
      std::min_element(trials.begin(), trials.end()) - trials.begin());
  costs.ring.chunk_bytes = kChunkBytes[best];
  costs.ring_seconds_per_byte = trials[best] / static_cast<float>(kTrialBytes);
  return costs;
}

}  // namespace godwit
