// placement/local_sampler.cc: rejection from the target, then an even choice from a list.
#include "placement/local_sampler.h"

#include <utility>

#include "base/check.h"

namespace godwit {

LocalSampler::LocalSampler(Distribution target, std::int64_t tries_max)
    : target_(std::move(target)), tries_max_(tries_max) {
  GODWIT_CHECK_GE(tries_max, 1);
}

void LocalSampler::set_list(std::vector<Key> resident) {
  list_ = std::move(resident);
  std::erase_if(list_, [this](Key key) { return target_.probability(key) == 0; });
  list_mass_ = 0;
  for (const Key key : list_) list_mass_ += target_.probability(key);
}

std::optional<Key> LocalSampler::draw_from_list(Prng& prng,
                                                const std::function<bool(Key)>& is_resident) const {
  if (list_.empty()) return std::nullopt;
  for (std::int64_t tries = 0; tries < tries_max_; ++tries) {
    const Key key = list_[prng.below(list_.size())];
    if (is_resident(key)) return key;
  }
  return std::nullopt;
}

LocalDraws LocalSampler::draw(std::uint64_t count, Prng& prng,
                              const std::function<bool(Key)>& is_resident) const {
  LocalDraws draws;
  draws.keys.reserve(count);
  draws.weights.reserve(count);
  const double list_factor = static_cast<double>(list_.size()) / list_mass_;
  std::uint64_t first_try_count = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Key key = 0;
    std::int64_t tries = 0;
    bool found = false;
    while (!found && tries < tries_max_) {
      key = target_.draw(prng);
      found = is_resident(key);
      ++tries;
    }
    if (found && tries == 1) ++first_try_count;
    if (found) {
      draws.keys.push_back(key);
      draws.weights.push_back(1);
    } else if (const std::optional<Key> listed = draw_from_list(prng, is_resident)) {
      draws.keys.push_back(*listed);
      draws.weights.push_back(target_.probability(*listed) * list_factor);
      ++draws.from_list_count;
    }
  }
  if (count > 0) {
    draws.resident_mass = static_cast<double>(first_try_count) / static_cast<double>(count);
  }
  return draws;
}

}  // namespace godwit
