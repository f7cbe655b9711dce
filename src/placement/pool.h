// placement/pool.h: a pool of drawn keys, each used several times, so that few rows have to come.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"
#include "placement/distribution.h"

namespace godwit {

struct PoolOptions {
  std::uint64_t size = 1024;  // keys in the pool at any time
  std::uint64_t reuse = 16;   // times that each of them is handed out
  std::uint64_t seed = 0;
};

struct PoolBatch {
  std::vector<Key> keys;  // handed out, in order
  // What changed in the pool while they were, each key once, in ascending order. `entered`: keys
  // that were not in the pool before; `left`: keys that are not in it any more. A key that came
  // and went within the batch is in both, one that went and came back in neither.
  std::vector<Key> entered;
  std::vector<Key> left;
};

// Each place of the pool holds a key drawn from the target. A hand-out picks a place evenly; after
// `reuse` hand-outs its key is replaced by a fresh one. Since the choice of places knows nothing
// of the keys in them, every single hand-out has exactly the target's distribution, and so have
// long-run frequencies. Hand-outs are NOT independent of each other: a key seen is likely to be
// seen again, and frequencies over n hand-outs scatter as those of n / reuse independent draws.
class Pool {
 public:
  // REQUIRES: size >= 1 and reuse >= 1.
  Pool(Distribution target, const PoolOptions& options);

  // Hands out `count` keys.
  PoolBatch draw(std::uint64_t count);

  // The keys in the pool, each once, in ascending order: what a caller must signal at the start.
  std::vector<Key> keys() const;

 private:
  struct Place {
    Key key;
    std::uint64_t uses_left;
  };
  // A key that came into the pool or went, and whether it was there just before.
  using Change = std::pair<Key, bool>;

  bool holds(Key key) const { return places_with_.contains(key); }
  void fill(Place& place, std::vector<Change>& changes);
  void report(std::vector<Change>& changes, PoolBatch& batch) const;

  Distribution target_;
  Prng prng_;
  std::uint64_t reuse_;
  std::vector<Place> places_;
  std::unordered_map<Key, std::uint64_t> places_with_;  // how many; never iterated: no order
};

}  // namespace godwit
