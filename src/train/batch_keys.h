// train/batch_keys.h: the distinct keys of a batch, and for each use its place among them.
// Not thread-safe; keeps its memory from batch to batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "godwit/ids.h"

namespace godwit {

class BatchKeys {
 public:
  void clear() { uses_.clear(); }
  void add(Key key) { uses_.emplace_back(key, static_cast<std::uint32_t>(uses_.size())); }

  // keys: distinct, rising. places[i]: where the i-th added key is among them.
  void settle(std::vector<Key>& keys, std::vector<std::uint32_t>& places) {
    std::sort(uses_.begin(), uses_.end());
    keys.clear();
    places.resize(uses_.size());
    for (const auto& [key, use] : uses_) {
      if (keys.empty() || keys.back() != key) keys.push_back(key);
      places[use] = static_cast<std::uint32_t>(keys.size() - 1);
    }
  }

 private:
  std::vector<std::pair<Key, std::uint32_t>> uses_;
};

}  // namespace godwit
