// sched/fifo_policy.cc: the queue is the order of arrival; who runs goes on running.
#include "sched/fifo_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace godwit {
namespace {

double slots_left(const JobState& state, const JobShares& placement) {
  return state.job->slots_for(state.left(), workers_of(placement), is_internal(placement));
}

}  // namespace

Verdict FifoPolicy::on_arrival(const Job& /*job*/, ClusterView& /*view*/) {
  return Verdict::kQueued;
}

void FifoPolicy::on_slot(ClusterView& view, SlotPlan& out) {
  SlotRoom room(view.empty_machines());
  for (const JobIndex index : view.active()) {
    const JobState& state = view.state(index);
    if (state.placement.empty() || !room.has_room(*state.job, state.placement)) continue;
    room.take(*state.job, state.placement);
    out.push_back({index, state.placement});
  }
  const std::size_t running = out.size();
  const auto is_running = [&](JobIndex index) {
    return std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(running),
                       [&](const JobPlacement& placed) { return placed.job == index; });
  };
  for (const JobIndex index : view.active()) {
    const JobState& state = view.state(index);
    if (!state.placement.empty() && is_running(index)) continue;
    JobShares placement = room.place(*state.job, state.job->workers_wanted, {});
    if (placement.empty()) break;
    out.push_back({index, std::move(placement)});
  }
  if (backfills_) backfill(view, room, out);
}

void FifoPolicy::backfill(ClusterView& view, SlotRoom& room, SlotPlan& out) {
  std::vector<char> placed(view.active().empty() ? 0 : view.active().back() + 1, 0);
  for (const JobIndex index : view.active()) {
    if (index >= placed.size()) placed.resize(index + 1, 0);
  }
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t i = 0; i < out.size(); ++i) {
    placed[out[i].job] = 1;
    ends.emplace_back(slots_left(view.state(out[i].job), out[i].placement), i);
  }
  const auto first = std::ranges::find_if(view.active(), [&](JobIndex i) { return !placed[i]; });
  if (first == view.active().end()) return;
  // When enough will have ended for the first in the queue, and what is free beside it then.
  const Job& head = *view.state(*first).job;
  std::ranges::sort(ends);
  SlotRoom later = room;
  double start = 0;
  JobShares reserved;
  for (const auto& [end, i] : ends) {
    later.give_back(*view.state(out[i].job).job, out[i].placement);
    start = end;
    reserved = later.find(head, head.workers_wanted);
    if (!reserved.empty()) break;
  }
  later.take(head, reserved);
  for (const JobIndex index : view.active()) {
    if (placed[index] || index == *first) continue;
    const JobState& state = view.state(index);
    const JobShares placement = room.find(*state.job, state.job->workers_wanted);
    if (placement.empty()) continue;
    const bool ends_before = std::ceil(slots_left(state, placement)) <= std::floor(start);
    if (!ends_before) {
      if (!later.has_room(*state.job, placement)) continue;
      later.take(*state.job, placement);
    }
    room.take(*state.job, placement);
    out.push_back({index, placement});
  }
}

}  // namespace godwit
