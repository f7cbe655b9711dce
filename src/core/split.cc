// core/split.cc: a counting sort.
#include "core/split.h"

namespace godwit {

void KeySplit::collect() {
  for (std::size_t node = 1; node < begins_.size(); ++node) begins_[node] += begins_[node - 1];
  positions_.resize(owners_.size());
  groups_.clear();
  for (std::size_t node = 0; node + 1 < begins_.size(); ++node) {
    const std::uint32_t size = begins_[node + 1] - begins_[node];
    if (size == 0) continue;
    groups_.push_back({NodeId{static_cast<std::int64_t>(node)},
                       std::span(positions_).subspan(begins_[node], size)});
  }
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    positions_[begins_[owners_[i]]++] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace godwit
