// sched/settle_wishes.cc: those that stay first, then wishes, then second thoughts.
#include "sched/settle_wishes.h"

#include <algorithm>

namespace godwit {
namespace {

// Slots that must be saved for each slot that moving costs: it may have to be moved again.
constexpr double kGainByCost = 2;

double slots_left(const HeldJob& job, const JobShares& placement) {
  return job.left / job.model->speed.samples(workers_of(placement), is_internal(placement));
}

bool is_worth_moving(const HeldJob& job, const JobShares& to, double restart) {
  if (to.empty()) return false;  // nobody needs its place
  const double gain = slots_left(job, job.placement) - slots_left(job, to);
  return gain > kGainByCost * restart;
}

JobShares wish_of(const Wishes& wishes, std::int64_t id) {
  const auto found = wishes.find(id);
  return found == wishes.end() ? JobShares() : found->second;
}

void set_wish(Wishes& wishes, std::int64_t id, const JobShares& placement) {
  if (placement.empty()) {
    wishes.erase(id);
  } else {
    wishes[id] = placement;
  }
}

}  // namespace

void settle_wishes(const std::map<std::int64_t, HeldJob>& held,
                   const std::map<std::int64_t, const Job*>& waiting,
                   const std::vector<std::int64_t>& order, double restart, SlotRoom room,
                   Wishes& wishes) {
  std::vector<std::int64_t> movers;
  for (const auto& [id, job] : held) {
    const bool stays = !job.must_move && (!job.may_move || wish_of(wishes, id) == job.placement);
    if (!stays) continue;
    room.take(*job.model, job.placement);
    wishes[id] = job.placement;
  }
  const auto is_settled = [&](const auto& entry) {
    return !entry.second.must_move && wish_of(wishes, entry.first) == entry.second.placement;
  };
  for (const std::int64_t id : order) {
    const auto found = held.find(id);
    if (found != held.end() && !is_settled(*found)) movers.push_back(id);
  }
  for (const auto& entry : held) {
    const bool is_ordered = std::ranges::find(order, entry.first) != order.end();
    if (!is_ordered && !is_settled(entry)) movers.push_back(entry.first);
  }
  // First what was planned, as far as there is room beside those that stay.
  for (const std::int64_t id : movers) {
    const HeldJob& job = held.at(id);
    JobShares wish = wish_of(wishes, id);
    if (!wish.empty() && !room.has_room(*job.model, wish)) {
      const bool may_stay = !job.must_move && room.has_room(*job.model, job.placement);
      wish = may_stay ? job.placement : JobShares();
    }
    room.take(*job.model, wish);
    set_wish(wishes, id, wish);
  }
  for (const std::int64_t id : order) {
    const auto found = waiting.find(id);
    if (found == waiting.end()) continue;
    const JobShares wish = wish_of(wishes, id);
    if (room.has_room(*found->second, wish)) {
      room.take(*found->second, wish);
    } else {
      wishes.erase(id);
    }
  }
  for (const std::int64_t id : movers) {
    const HeldJob& job = held.at(id);
    const JobShares wish = wish_of(wishes, id);
    room.give_back(*job.model, wish);
    const bool may_stay = !job.must_move && room.has_room(*job.model, job.placement);
    const JobShares settled =
        may_stay && !is_worth_moving(job, wish, restart) ? job.placement : wish;
    room.take(*job.model, settled);
    set_wish(wishes, id, settled);
  }
}

}  // namespace godwit
