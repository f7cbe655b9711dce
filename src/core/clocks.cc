// core/clocks.cc: one message to each peer when this node is further; a handshake for who joins.
#include "core/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "core/peers.h"

namespace godwit {

Clocks::Clocks(NodeId self, std::int64_t nodes, std::int64_t workers, const Tables& tables,
               TickBuffers& buffers, Links& links, Waits& waits, Time now)
    : self_(self),
      nodes_(nodes),
      tables_(tables),
      buffers_(buffers),
      links_(links),
      waits_(waits),
      workers_(workers),
      ticks_(nodes),
      places_(static_cast<std::size_t>(nodes), Place{.slowest = WorkerId{0}, .since = now}) {}

// The first worker of a node that does not count begins after all that is stable anywhere; until
// all others know that it counts again they may go on without it. Any other begins with the slowest
// of this node, whom everybody waits for already.
void Clocks::begin_worker(TicketId ticket, WorkerId worker, Time now) {
  waits_.begin(ticket, {.verb = "begin of a worker"}, {{self_, 1}});
  if (workers_.is_expected(worker) || !workers_.empty() || !is_on()) {
    const Tick slowest = is_on() && !workers_.empty() ? workers_.slowest().tick : Tick{0};
    if (!workers_.is_expected(worker)) workers_.begin(worker, slowest);
    return waits_.arrived_from(ticket, self_);
  }
  joining_.push_back({worker, ticket});
  if (joining_.size() > 1) return;
  place(self_).since = now;
  ticks_.join(self_);
  joins_after_ = std::max(stable(), last_if_all_ended());
  send_riders();  // what was said before must not come after
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    if (place(peer).has_left) return;
    place(peer).is_awaited = true;
    links_.send(peer, make_frame(kFirstTerm, JoinClock{}));
  });
  agreed(self_);
}

Result<> Clocks::on_joined(NodeId peer, const JoinedClock& joined) {
  if (place(peer).has_left) return {};  // and was not waited for
  if (!place(peer).is_awaited || joined.stable >= kEndOfTime || joined.last >= kEndOfTime) {
    return corruption("an answer to no worker's begin, at tick {}", joined.stable.value());
  }
  // What any of them has seen as stable is so: who begins after it may have to read it.
  if (ticks_.claim(joined.stable)) let_go();
  // And whoever begins when others have ended sees all that they did.
  joins_after_ = std::max({joins_after_, joined.stable, joined.last});
  agreed(peer);
  return {};
}

void Clocks::agreed(NodeId peer) {
  place(peer).is_awaited = false;
  const auto is_awaited = [](const Place& place) { return place.is_awaited; };
  if (joining_.empty() || std::any_of(places_.begin(), places_.end(), is_awaited)) return;
  for (const Joining& joining : std::exchange(joining_, {})) {
    workers_.begin(joining.worker, Tick{joins_after_.value() + 1});
    if (waits_.exists(joining.ticket)) waits_.arrived_from(joining.ticket, self_);
  }
}

void Clocks::on_left(NodeId peer, Time now) {
  place(peer).has_left = true;
  hear(peer, kEndOfTime, now);
  agreed(peer);
}

Result<> Clocks::on_join(NodeId peer, Time now) {
  ticks_.join(peer);
  place(peer).since = now;
  links_.send(peer,
              make_frame(kFirstTerm, JoinedClock{.stable = stable(), .last = last_if_all_ended()}));
  return {};
}

Tick Clocks::last_if_all_ended() const {
  return workers_.empty() ? workers_.last() : kNoTick;
}

Tick Clocks::tick_of(WorkerId worker) const {
  for (const WorkerTicks::Place& place : workers_.places()) {
    if (place.worker == worker) return place.tick;
  }
  GODWIT_CHECK(false);
  return kNoTick;
}

std::optional<Tick> Clocks::to_flush() const {
  if (!is_on() || !joining_.empty()) return std::nullopt;
  const Tick ended = workers_.ended();
  if (ended <= ticks_.flushed(self_)) return std::nullopt;
  return ended;
}

void Clocks::on_flushed(Tick tick, Time now) {
  if (!joining_.empty()) return;
  const Tick flushed = std::min(tick, workers_.ended());
  if (flushed == kEndOfTime) {
    // First how far they were: when nobody is left, that is what is stable.
    tell(workers_.last(), now);
    send_riders();
  }
  tell(flushed, now);
  if (tables_.staleness().value_or(0) == 0 || workers_.empty()) return send_riders();
  const Duration since_last = now - std::exchange(flushed_at_, now);
  riders_due_ = std::min(riders_due_, now + std::min(kRideMax, since_last / kRideShare));
}

void Clocks::tell(Tick flushed, Time now) {
  hear(self_, flushed, now);
  const WorkerId slowest = workers_.empty() ? WorkerId{0} : workers_.slowest().worker;
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    links_.add_rider(
        peer, make_frame(kFirstTerm, Clock{.flushed = ticks_.flushed(self_), .slowest = slowest}));
  });
}

void Clocks::send_riders() {
  riders_due_ = Time::max();
  for_each_peer(self_, nodes_, [this](NodeId peer) { links_.send_rider(peer); });
}

Result<> Clocks::on_clock(NodeId peer, const Clock& clock, Time now) {
  if (clock.flushed < kNoTick) return corruption("a clock of tick {}", clock.flushed.value());
  place(peer).slowest = clock.slowest;
  hear(peer, clock.flushed, now);
  return {};
}

void Clocks::hear(NodeId node, Tick flushed, Time now) {
  if (flushed > ticks_.flushed(node)) place(node).since = now;
  if (ticks_.hear(node, flushed)) let_go();
}

void Clocks::wait(TicketId ticket, Purpose purpose, Tick need) {
  GODWIT_CHECK(stable() < need);
  waits_.begin(ticket, purpose, {{self_, 1}});
  waiting_.push_back({ticket, need});
}

Result<> Clocks::on_stable(ShortTick tick) {
  const Tick claimed = lengthen(tick, stable());
  if (joining_.empty() && claimed > workers_.ended()) {
    return corruption("tick {} is said to be stable, but this node is in tick {}", claimed.value(),
                      workers_.slowest().tick.value());
  }
  if (ticks_.claim(claimed)) let_go();
  return {};
}

void Clocks::let_go() {
  buffers_.close(stable());
  std::erase_if(waiting_, [this](const Waiting& waiting) {
    if (!waits_.exists(waiting.ticket)) return true;
    if (waiting.need > stable()) return false;
    waits_.arrived_from(waiting.ticket, self_);
    return true;
  });
}

bool Clocks::is_waiting(TicketId ticket) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](const Waiting& some) { return some.ticket == ticket; });
}

std::vector<NodeId> Clocks::asked_for(TicketId ticket) const {
  std::vector<NodeId> asked;
  const auto is_this = [&](const Joining& joining) { return joining.ticket == ticket; };
  if (std::none_of(joining_.begin(), joining_.end(), is_this)) return asked;
  for_each_peer(self_, nodes_, [&](NodeId peer) {
    if (place(peer).is_awaited) asked.push_back(peer);
  });
  return asked;
}

std::string Clocks::describe_slowest(Time now, const Members& members) const {
  NodeId node = ticks_.slowest();
  const auto heard = [&](NodeId some) { return some == self_ ? now : members.last_heard(some); };
  for (std::int64_t i = 0; i < nodes_; ++i) {
    const NodeId other{i};
    if (ticks_.flushed(other) == ticks_.flushed(node) && heard(other) < heard(node)) node = other;
  }
  const Tick tick{ticks_.flushed(node).value() + 1};
  const WorkerId worker =
      node == self_ && !workers_.empty() ? workers_.slowest().worker : place(node).slowest;
  const std::chrono::duration<double> age = now - place(node).since;
  return fmt::format("worker {} of node {}, in tick {} for {:.1f} s", worker.value(), node.value(),
                     tick.value(), age.count());
}

}  // namespace godwit
