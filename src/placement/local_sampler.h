// placement/local_sampler.h: draws samples among the rows that happen to be on this node.
// draw() is const and keeps nothing: thread-safe; set_list() is not.
//
// What is guaranteed. Let R be the keys that is_resident() accepts during one draw(), P(R) the
// share of the target that they hold, and f any function of a key. Nothing that looks at R alone
// can estimate the mean of f over the whole target: keys outside R never show up, whatever the
// weights. What is estimated, without bias and however few the keys are (one or more), is the mean
// over the *resident part* of the target:
//   E[ sum of weights[i] * f(keys[i]) / number of keys ] = E_target[ f(key) | key in R ].
// Independently of the keys, E[ resident_mass ] = P(R). So resident_mass times the estimate is,
// without bias, what resident keys add to E_target[f]: nearly all of it if P(R) is near one. And
// over time: if every key is resident an equal share of the time, no matter in which company, sums
// of (resident_mass * estimate) divided by sums of resident_mass tend to E_target[f]. Where some
// keys are resident more often than others, such averages lean towards them.
//
// How. A key is drawn from the target and kept if resident: its distribution is the target's
// within R, its weight 1. If a number of tries fail, the key is drawn evenly from a list of the m
// resident keys, of which each had the chance 1/m instead of P(key) / P(R): its weight is
// m * P(key) / P(R), large for popular keys. Both kinds average to the same; the second scatters
// more. For this the list must be R. If rows came or went since, keys that went are passed over
// and keys that came are found by the first way only, and the weights of the second kind (no
// others) are off by as much as the mean of P(key) over the list changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"
#include "placement/distribution.h"

namespace godwit {

struct LocalDraws {
  std::vector<Key> keys;        // independent of each other; repeats are possible
  std::vector<double> weights;  // one a key, 1 on average
  double resident_mass = 0;     // estimate of P(R): the share of first tries that were resident
  std::uint64_t from_list_count = 0;  // how many keys came from the list
};

class LocalSampler {
 public:
  // A draw tries the target `tries_max` times and then, if there is one, the list as often.
  // With P(R) = 1/8, one draw in 5,000 needs the list. REQUIRES: tries_max >= 1.
  explicit LocalSampler(Distribution target, std::int64_t tries_max = 64);

  // Replaces the list of resident keys, at the cost of a probability() each. Keys that the target
  // never draws are left out. REQUIRES: no key twice.
  void set_list(std::vector<Key> resident);

  // `count` keys, all resident; fewer if tries ran out for some, so none if nothing is resident.
  LocalDraws draw(std::uint64_t count, Prng& prng,
                  const std::function<bool(Key)>& is_resident) const;

  // P(list), exactly.
  double list_mass() const { return list_mass_; }

 private:
  std::optional<Key> draw_from_list(Prng& prng, const std::function<bool(Key)>& is_resident) const;

  Distribution target_;
  std::int64_t tries_max_;
  std::vector<Key> list_;
  double list_mass_ = 0;
};

}  // namespace godwit
