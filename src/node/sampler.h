// node/sampler.h: one worker's stream of draws of one spec from one table. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/prng.h"
#include "godwit/result.h"
#include "godwit/sampling.h"
#include "godwit/table_spec.h"
#include "placement/distribution.h"
#include "placement/local_sampler.h"
#include "placement/pool.h"

namespace godwit {

// What stands behind a SampleSpec. Immutable.
class SampleSpecState {
 public:
  enum class Kind : std::uint8_t { kUniform, kLogUniform, kWeighted };

  // The distribution over the rows of a table. kInvalidArgument if it has none.
  Result<Distribution> target(const TableSpec& table) const;

  Kind kind = Kind::kUniform;
  SampleLevel level;
  std::uint64_t seed = 0;
  std::optional<Distribution> counted;  // set iff weighted
};

// Drawn keys and where their rows are. A Draw is a part of it.
struct SampledRows {
  using Place = Draw::Place;

  // As many places as the lease has rows, and no key: those are the caller's to add.
  void add_places(const std::shared_ptr<Lease>& lease);

  std::vector<Key> keys;
  std::vector<Place> places;
  std::vector<double> weights;  // empty: all are 1
  double resident_mass = 1;
  std::vector<std::shared_ptr<Lease>> leases;  // what places point to
};

class Sampler {
 public:
  // Makes a lease on keys of the table: for the ticks of a sample, or kept until it is destroyed,
  // from the sample's first tick or from now on.
  enum class Until : std::uint8_t { kSampleEnds, kDropped, kDroppedFromNow };
  using MakeLease = std::function<std::shared_ptr<Lease>(std::span<const Key> keys, Until until)>;
  using IsLocal = std::function<bool(Key)>;

  // REQUIRES: a level that SampleSpec accepts.
  Sampler(const Distribution& target, const SampleLevel& level, std::uint64_t seed,
          std::int64_t nodes);

  // The next keys of the stream, leased. REQUIRES: not local.
  std::shared_ptr<SampledRows> prepare(std::size_t count, const MakeLease& make_lease)
      GODWIT_EXCLUDES(mutex_);

  // The next keys among those that are local; fewer if too few are. REQUIRES: local.
  LocalDraws draw_local(std::size_t count, const IsLocal& is_local) GODWIT_EXCLUDES(mutex_);

 private:
  // Keys that came into the pool together and are leased together.
  struct Batch {
    std::shared_ptr<Lease> lease;
    std::vector<Key> keys;  // of the lease
    std::size_t left = 0;   // how many of them have gone since
  };
  struct Pooled {
    std::shared_ptr<Batch> batch;
    std::size_t index;  // in it
  };

  void prepare_pooled(std::size_t count, const MakeLease& make_lease, SampledRows& rows)
      GODWIT_REQUIRES(mutex_);
  void enter(std::vector<Key> keys, Until until, const MakeLease& make_lease)
      GODWIT_REQUIRES(mutex_);
  void leave(std::span<const Key> keys, const MakeLease& make_lease) GODWIT_REQUIRES(mutex_);
  void list_local(const IsLocal& is_local) GODWIT_REQUIRES(mutex_);

  const Distribution target_;
  const SampleLevel level_;
  Mutex mutex_;
  Prng prng_ GODWIT_GUARDED_BY(mutex_);
  std::optional<Pool> pool_ GODWIT_GUARDED_BY(mutex_);                // once it is needed
  std::unordered_map<Key, Pooled> pooled_ GODWIT_GUARDED_BY(mutex_);  // never iterated: no order
  LocalSampler local_ GODWIT_GUARDED_BY(mutex_);
  std::uint64_t tries_ GODWIT_GUARDED_BY(mutex_) = 0;  // since the local keys were listed
};

}  // namespace godwit
