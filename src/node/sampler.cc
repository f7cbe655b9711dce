// node/sampler.cc: what is drawn ahead and what is kept leased, by level.
#include "node/sampler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

// A batch of which less than one key in so many is still in the pool gives up its lease, and those
// that are get a new one: keys that never leave would hold all that came with them.
constexpr std::size_t kSparse = 4;

// Where a node has its share of the target and no more, one draw in nine million gives up.
constexpr std::int64_t kTriesMin = 64;
constexpr std::int64_t kTriesPerNode = 16;

}  // namespace

Result<Distribution> SampleSpecState::target(const TableSpec& table) const {
  if (table.rows == kUnbounded) {
    return invalid_argument("table '{}' is unbounded: rows cannot be drawn from it", table.name);
  }
  if (kind == Kind::kUniform) return Distribution::uniform(table.rows);
  if (kind == Kind::kLogUniform) return Distribution::log_uniform(table.rows);
  if (counted->size() != table.rows) {
    return invalid_argument("{} counts to draw from table '{}', which has {} rows", counted->size(),
                            table.name, table.rows);
  }
  return *counted;
}

void SampledRows::add_places(const std::shared_ptr<Lease>& lease) {
  for (std::size_t i = 0; i < lease->size(); ++i) places.push_back({lease.get(), i});
  leases.push_back(lease);
}

Sampler::Sampler(const Distribution& target, const SampleLevel& level, std::uint64_t seed,
                 std::int64_t nodes)
    : target_(target),
      level_(level),
      prng_(seed),
      local_(target, std::max(kTriesMin, kTriesPerNode * nodes)) {}

std::shared_ptr<SampledRows> Sampler::prepare(std::size_t count, const MakeLease& make_lease) {
  GODWIT_CHECK(level_.kind != SampleLevel::Kind::kLocal);
  auto rows = std::make_shared<SampledRows>();
  const MutexLock lock(mutex_);
  if (level_.kind == SampleLevel::Kind::kPooled) {
    prepare_pooled(count, make_lease, *rows);
    return rows;
  }
  rows->keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) rows->keys.push_back(target_.draw(prng_));
  rows->places.reserve(count);
  rows->add_places(make_lease(rows->keys, Until::kSampleEnds));
  return rows;
}

void Sampler::prepare_pooled(std::size_t count, const MakeLease& make_lease, SampledRows& rows) {
  if (!pool_) {
    pool_.emplace(
        target_,
        PoolOptions{.size = level_.pool_size, .reuse = level_.reuse, .seed = prng_.next()});
    enter(pool_->keys(), Until::kDropped, make_lease);
  }
  PoolBatch drawn = pool_->draw(count);
  enter(std::move(drawn.entered), Until::kDropped, make_lease);
  rows.keys = std::move(drawn.keys);
  rows.places.reserve(count);
  std::vector<std::shared_ptr<Lease>>& leases = rows.leases;
  for (const Key key : rows.keys) {
    const Pooled& pooled = pooled_.at(key);
    rows.places.push_back({pooled.batch->lease.get(), pooled.index});
    leases.push_back(pooled.batch->lease);
  }
  std::sort(leases.begin(), leases.end());
  leases.erase(std::unique(leases.begin(), leases.end()), leases.end());
  leave(drawn.left, make_lease);
}

void Sampler::enter(std::vector<Key> keys, Until until, const MakeLease& make_lease) {
  if (keys.empty()) return;
  auto batch = std::make_shared<Batch>();
  batch->lease = make_lease(keys, until);
  batch->keys = std::move(keys);
  for (std::size_t i = 0; i < batch->keys.size(); ++i) {
    pooled_.insert_or_assign(batch->keys[i], Pooled{batch, i});
  }
}

void Sampler::leave(std::span<const Key> keys, const MakeLease& make_lease) {
  std::vector<Key> stay;
  for (const Key key : keys) {
    const auto place = pooled_.find(key);
    const std::shared_ptr<Batch> batch = std::move(place->second.batch);
    pooled_.erase(place);
    const std::size_t in_pool = batch->keys.size() - ++batch->left;
    // Each batch once: when it becomes sparse.
    if (in_pool * kSparse >= batch->keys.size() || (in_pool + 1) * kSparse < batch->keys.size()) {
      continue;
    }
    for (const Key other : batch->keys) {
      const auto found = pooled_.find(other);
      if (found != pooled_.end() && found->second.batch == batch) stay.push_back(other);
    }
  }
  // Some of them may have left since. The new lease begins before the old ones end, so none goes.
  std::vector<Key> still_there;
  for (const Key key : stay) {
    if (pooled_.contains(key)) still_there.push_back(key);
  }
  enter(std::move(still_there), Until::kDroppedFromNow, make_lease);
}

void Sampler::list_local(const IsLocal& is_local) {
  std::vector<Key> keys;
  for (Key key = 0; key < target_.size(); ++key) {
    if (target_.probability(key) > 0 && is_local(key)) keys.push_back(key);
  }
  local_.set_list(std::move(keys));
  tries_ = 0;
}

LocalDraws Sampler::draw_local(std::size_t count, const IsLocal& is_local) {
  GODWIT_CHECK(level_.kind == SampleLevel::Kind::kLocal);
  const MutexLock lock(mutex_);
  std::uint64_t tries = 0;
  const auto counting = [&](Key key) { return ++tries, is_local(key); };
  LocalDraws draws = local_.draw(count, prng_, counting);
  tries_ += tries;
  // A look at every key is paid for by as many tries that went before.
  if (draws.keys.size() == count || tries_ < target_.size()) return draws;
  list_local(is_local);
  const LocalDraws more = local_.draw(count - draws.keys.size(), prng_, is_local);
  draws.keys.insert(draws.keys.end(), more.keys.begin(), more.keys.end());
  draws.weights.insert(draws.weights.end(), more.weights.begin(), more.weights.end());
  draws.from_list_count += more.from_list_count;
  return draws;
}

}  // namespace godwit
