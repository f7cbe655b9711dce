// base/sample_order.h: which sample stands at a position of the endless sequence of epochs.
// Not thread-safe: it keeps the order of the epoch that was asked for last.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/keyed_permutation.h"
#include "base/prng.h"

namespace godwit {

// Position p belongs to epoch p / samples; each epoch is a permutation of its own, keyed by seed
// and epoch. Whoever has the seed knows the order: positions are all that travels.
class SampleOrder {
 public:
  // REQUIRES: samples >= 1.
  SampleOrder(std::uint64_t samples, std::uint64_t seed)
      : samples_(samples), seed_(seed), order_(samples, mix64(seed, 0)) {}

  std::uint64_t samples() const { return samples_; }

  // In [0, samples()).
  std::uint64_t sample_at(std::uint64_t position) {
    const std::uint64_t epoch = position / samples_;
    if (epoch != epoch_) {
      epoch_ = epoch;
      order_ = KeyedPermutation(samples_, mix64(seed_, epoch));
    }
    return order_.at(position % samples_);
  }

 private:
  std::uint64_t samples_;
  std::uint64_t seed_;
  std::uint64_t epoch_ = 0;
  KeyedPermutation order_;
};

}  // namespace godwit
