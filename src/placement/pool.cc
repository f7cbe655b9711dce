// placement/pool.cc: even choice of places, and the net changes of a batch.
#include "placement/pool.h"

#include <algorithm>

#include "base/check.h"

namespace godwit {

Pool::Pool(Distribution target, const PoolOptions& options)
    : target_(std::move(target)), prng_(options.seed), reuse_(options.reuse) {
  GODWIT_CHECK_GE(options.size, 1U);
  GODWIT_CHECK_GE(options.reuse, 1U);
  places_.resize(options.size);
  std::vector<Change> changes;
  for (Place& place : places_) fill(place, changes);
}

void Pool::fill(Place& place, std::vector<Change>& changes) {
  place = {.key = target_.draw(prng_), .uses_left = reuse_};
  if (++places_with_[place.key] == 1) changes.emplace_back(place.key, false);
}

PoolBatch Pool::draw(std::uint64_t count) {
  PoolBatch batch;
  batch.keys.reserve(count);
  std::vector<Change> changes;
  for (std::uint64_t i = 0; i < count; ++i) {
    Place& place = places_[prng_.below(places_.size())];
    batch.keys.push_back(place.key);
    if (--place.uses_left > 0) continue;
    const auto entry = places_with_.find(place.key);
    if (--entry->second == 0) {
      places_with_.erase(entry);
      changes.emplace_back(place.key, true);
    }
    fill(place, changes);
  }
  report(changes, batch);
  return batch;
}

// The first change of a key tells whether it was there before the batch.
void Pool::report(std::vector<Change>& changes, PoolBatch& batch) const {
  std::ranges::stable_sort(changes, {}, &Change::first);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto [key, was_here] = changes[i];
    if (i > 0 && changes[i - 1].first == key) continue;
    if (!was_here) batch.entered.push_back(key);
    if (!holds(key)) batch.left.push_back(key);
  }
}

std::vector<Key> Pool::keys() const {
  std::vector<Key> keys;
  keys.reserve(places_.size());
  for (const Place& place : places_) keys.push_back(place.key);
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace godwit
