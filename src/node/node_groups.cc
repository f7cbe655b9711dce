// node/node_groups.cc: groups of ranks, and who comes back after it was lost: the blocking around
// core/groups.h.
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "node/node.h"

namespace godwit {
namespace {

// A deadline of seconds need not hear of every step.
constexpr Duration kProgressEvery = std::chrono::milliseconds(50);

}  // namespace

Result<> Node::admit(NodeId peer, Incarnation life) {
  const MutexLock lock(mutex_);
  if (core_.may_connect(peer, life)) return {};
  return invalid_argument("node {} was taken for lost: it must be started anew", peer.value());
}

Result<> Node::open_late_door(const std::vector<Peer>& peers, Incarnation incarnation) {
  if (options_.rejoin_within <= Duration::zero() || self() != kCoordinator) return {};
  const auto may_enter = [this](NodeId peer) {
    const MutexLock lock(mutex_);
    return core_.members().is_lost(peer) || !core_.members().is_up(peer);
  };
  door_ = std::make_unique<LateDoor>(*loop_,
                                     LateDoorOptions{.address = options_.rendezvous,
                                                     .self = self(),
                                                     .incarnation = incarnation,
                                                     .job = options_.job,
                                                     .first = options_.servers,
                                                     .peers = peers},
                                     may_enter, log_);
  return door_->open();
}

Result<GroupsView> Node::join_group(const GroupPlace& place) {
  if (place.group < 0 || place.size < 1 || place.rank < 0 || place.rank >= place.size ||
      place.size > static_cast<std::int64_t>(kPartitions)) {
    return invalid_argument("rank {} of {} of group {} is not possible", place.rank, place.size,
                            place.group);
  }
  const TicketId ticket = reserve();
  is_in_group_ = options_.rejoin_within > Duration::zero() && self().value() >= options_.servers;
  with_core([&] { core_.join_group(ticket, place, time_.now()); });
  GODWIT_TRY(wait(ticket));
  const MutexLock lock(mutex_);
  return core_.groups().joined();
}

void Node::report_progress(std::int64_t step) {
  if (step < 0) return;
  const Time now = time_.now();
  Time::rep from = progress_from_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < from) return;
  const Time::rep next = (now + kProgressEvery).time_since_epoch().count();
  if (!progress_from_.compare_exchange_strong(from, next, std::memory_order_relaxed)) return;
  with_core([&] { core_.groups().progress(static_cast<std::uint64_t>(step), now); });
}

void Node::leave_group() {
  with_core([&] { core_.groups().leave(time_.now()); });
}

GroupsView Node::groups() {
  const MutexLock lock(mutex_);
  return core_.groups().view();
}

Result<TicketId> Node::exchange(ExchangeCall& call, ExchangeCall::Target target,
                                const ExchangeOptions& options, std::span<const Key> keys,
                                std::span<float> values, ExchangeMemory& memory) {
  std::optional<RoundPart> part;
  {
    const MutexLock lock(mutex_);
    target.group = core_.groups().own();
    if (options.mode == ExchangeMode::kSync && options.ends_round && target.group) {
      part = {.round = options.round,
              .life = target.group->life,
              .group = target.group->group,
              .rank = static_cast<std::uint32_t>(core_.groups().place().rank),
              .size = target.group->size};
    }
  }
  target.ticket = reserve();
  GODWIT_TRY_ASSIGN(auto requests, call.begin(core_.map(), target, options, keys, values, memory));
  {
    MutexLock lock(mutex_);
    for (const OutgoingRequest& request : requests) {
      if (request.peer == self() || core_.links().has_room(request.peer)) continue;
      const auto room = wait_for_room(request.peer, lock);
      if (room.ok()) continue;
      memory.clear();  // what it says about the owners did not happen
      return room.error();
    }
  }
  with_core([&] {
    core_.exchange(target.ticket, {"exchange", keys.size()}, std::move(requests), part,
                   time_.now());
  });
  return target.ticket;
}

}  // namespace godwit
