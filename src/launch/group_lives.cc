// launch/group_lives.cc: doubling, with an end.
#include "launch/group_lives.h"

#include <algorithm>

namespace godwit {

std::optional<Duration> GroupLives::next_after(Duration ran) {
  if (life_ >= policy_.restarts_max) return std::nullopt;
  ++life_;
  if (ran >= policy_.steady_after) wait_ = policy_.wait_first;
  const Duration wait = wait_;
  wait_ = std::min(2 * wait_, policy_.wait_max);
  return wait;
}

}  // namespace godwit
