// node/schedule.cc: leases that were closed before leave when their tick has come.
#include "node/schedule.h"

#include <algorithm>
#include <utility>

namespace godwit {
namespace {

using Phase = LeaseState::Phase;

constexpr std::size_t kKeysTogether = 256;  // make a message large enough
constexpr std::size_t kEndedTogether = 64;  // are worth looking for

}  // namespace

void LeaseSchedule::advance(Tick now_at, Time now) {
  tick_ = now_at;
  timer_.note_tick(now);
}

void LeaseSchedule::activate(const LeasePtr& lease) {
  lease->schedule = this;
  active_.push(lease->last, lease);
}

void LeaseSchedule::note_ended() {
  if (++ended_ < kEndedTogether || 2 * ended_ < active_.size()) return;
  active_.erase_if([](const LeaseState& lease) { return lease.phase == Phase::kEnded; });
  ended_ = 0;
}

void LeaseSchedule::note_opened(const LeasePtr& lease, Tick tick) {
  const bool was_open = lease->is_open.exchange(true, std::memory_order_relaxed);
  const bool outlives_tick = lease->last.value() - 1 > tick.value();
  if (!was_open && lease->rows.is_write && outlives_tick) opened.push_back(lease);
}

std::vector<LeaseSchedule::LeasePtr>& LeaseSchedule::take_due() {
  taken_.clear();
  if (queued_.empty() || !is_due(queued_.next())) return taken_;
  // With the first those that will be due soon: fewer and larger messages.
  const std::int64_t until =
      tick_.value() + timer_.horizon() + std::clamp<std::int64_t>(timer_.horizon() / 2, 4, 64);
  std::size_t keys = 0;
  while (!queued_.empty() && queued_.next().value() <= until) {
    if (!is_due(queued_.next()) && keys >= kKeysTogether) break;
    taken_.push_back(queued_.pop());
    keys += taken_.back()->rows.keys.size();
  }
  return taken_;
}

std::vector<LeaseSchedule::LeasePtr>& LeaseSchedule::take_ended() {
  taken_.clear();
  while (!active_.empty() && active_.next() <= tick_) {
    if (active_.front()->phase == Phase::kEnded && ended_ > 0) --ended_;
    taken_.push_back(active_.pop());
  }
  return taken_;
}

std::vector<LeaseSchedule::LeasePtr>& LeaseSchedule::take_all() {
  taken_.clear();
  for (LeaseQueue* const queue : {&active_, &queued_}) {
    while (!queue->empty()) taken_.push_back(queue->pop());
  }
  opened.clear();
  return taken_;
}

}  // namespace godwit
