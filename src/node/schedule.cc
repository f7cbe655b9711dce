// node/schedule.cc: leases that were closed before leave when their tick has come.
#include "node/schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace godwit {
namespace {

constexpr std::size_t kKeysTogether = 256;  // make a message large enough

}  // namespace

void Schedule::advance(Tick now_at, Time now) {
  tick_ = now_at;
  timer_.note_tick(now);
}

std::vector<Schedule::LeasePtr> Schedule::take_due() {
  std::vector<LeasePtr> due;
  if (queued_.empty() || !is_due(queued_.begin()->first)) return due;
  // With the first those that will be due soon: fewer and larger messages.
  const std::int64_t until =
      tick_.value() + timer_.horizon() + std::clamp<std::int64_t>(timer_.horizon() / 2, 4, 64);
  std::size_t keys = 0;
  while (!queued_.empty() && queued_.begin()->first.value() <= until) {
    if (!is_due(queued_.begin()->first) && keys >= kKeysTogether) break;
    keys += queued_.begin()->second->rows.keys.size();
    due.push_back(std::move(queued_.begin()->second));
    queued_.erase(queued_.begin());
  }
  return due;
}

std::vector<Schedule::LeasePtr> Schedule::take_ended() {
  const auto ended = std::partition(active_.begin(), active_.end(), [this](const LeasePtr& lease) {
    return lease->phase == LeaseState::Phase::kActive && lease->last > tick_;
  });
  std::vector<LeasePtr> taken(std::make_move_iterator(ended),
                              std::make_move_iterator(active_.end()));
  active_.erase(ended, active_.end());
  return taken;
}

std::vector<Schedule::LeasePtr> Schedule::take_all() {
  std::vector<LeasePtr> all = std::exchange(active_, {});
  for (auto& [first, lease] : std::exchange(queued_, {})) all.push_back(std::move(lease));
  return all;
}

}  // namespace godwit
