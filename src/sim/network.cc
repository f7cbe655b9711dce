// sim/network.cc: one queue of events, one source of chance.
#include "sim/network.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit::sim {
namespace {

// What the trace tells apart.
constexpr std::uint64_t kDelivered = 1;
constexpr std::uint64_t kUp = 2;
constexpr std::uint64_t kDown = 3;
constexpr std::uint64_t kTask = 4;

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

class Network::Sink final : public FrameSink {
 public:
  Sink(Network& network, NodeId self) : network_(network), self_(self) {}
  SendStatus send(NodeId peer, FramePtr frame) override {
    return network_.send(self_, peer, std::move(frame));
  }

 private:
  Network& network_;
  const NodeId self_;
};

Network::Network(std::int64_t nodes, const Faults& faults, Prng prng)
    : faults_(faults),
      prng_(prng),
      nodes_(static_cast<std::size_t>(nodes)),
      lanes_(static_cast<std::size_t>(nodes * nodes)),
      pairs_(static_cast<std::size_t>(nodes * nodes)) {
  for (std::int64_t i = 0; i < nodes; ++i) {
    sinks_.push_back(std::make_unique<Sink>(*this, NodeId{i}));
  }
  for (Lane& lane : lanes_) lane.slow = prng_.below(16) < faults.slow_links;
}

Network::~Network() = default;

FrameSink& Network::sink(NodeId node) {
  return *sinks_[static_cast<std::size_t>(node.value())];
}

void Network::attach(NodeId node, TransportEvents& events) {
  node_of(node).events = &events;
}

Network::Pair& Network::pair_of(NodeId a, NodeId b) {
  const auto low = static_cast<std::size_t>(std::min(a, b).value());
  const auto high = static_cast<std::size_t>(std::max(a, b).value());
  return pairs_[low * nodes_.size() + high];
}

Network::Lane& Network::lane_of(NodeId from, NodeId to) {
  return lanes_[static_cast<std::size_t>(from.value()) * nodes_.size() +
                static_cast<std::size_t>(to.value())];
}

void Network::trace(std::uint64_t kind, std::uint64_t detail) {
  trace_ = mix64(trace_, kind);
  trace_ = mix64(trace_, static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  trace_ = mix64(trace_, detail);
}

Duration Network::up_to(Duration most) {
  return Duration(
      static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(most.count()) + 1)));
}

NodeId Network::any_node() {
  return NodeId{static_cast<std::int64_t>(prng_.below(nodes_.size()))};
}

void Network::schedule(Duration delay, std::function<void()> task) {
  events_.push({now_ + delay, events_made_++, std::move(task)});
}

bool Network::step() {
  if (events_.empty()) return false;
  const Event event = events_.top();
  events_.pop();
  now_ = event.at;
  event.run();
  return true;
}

void Network::after(NodeId node, Duration delay, std::function<void()> task) {
  schedule(delay, [this, node, life = node_of(node).life, task = std::move(task)]() mutable {
    if (node_of(node).life != life) return;
    node_of(node).tasks.push_back(std::move(task));
    run_tasks(node);
  });
}

void Network::run_tasks(NodeId id) {
  Node& node = node_of(id);
  while (!node.tasks.empty() && !node.dead) {
    if (node.frozen_until > now_) {
      schedule(node.frozen_until - now_, [this, id] { run_tasks(id); });
      return;
    }
    const std::function<void()> task = std::move(node.tasks.front());
    node.tasks.pop_front();
    trace(kTask, static_cast<std::uint64_t>(id.value()));
    task();
  }
}

void Network::start() {
  for (std::size_t a = 0; a < nodes_.size(); ++a) {
    for (std::size_t b = a + 1; b < nodes_.size(); ++b) {
      const NodeId low{static_cast<std::int64_t>(a)};
      const NodeId high{static_cast<std::int64_t>(b)};
      schedule(up_to(faults_.reconnect_max), [this, low, high] { connect(low, high); });
    }
  }
  if (nodes_.size() > 1) begin_faults();
}

void Network::connect(NodeId a, NodeId b) {
  Pair& pair = pair_of(a, b);
  if (pair.up || pair.is_cut || node_of(a).dead || node_of(b).dead) return;
  if (hubs_ > 0 && a.value() >= hubs_ && b.value() >= hubs_) return;
  pair.up = true;
  ++pair.connection;
  trace(kUp, pair.connection);
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    const auto life = static_cast<std::int64_t>(node_of(from).life);
    const Incarnation incarnation{from.value() + 1 + (life << 20)};
    after(to, Duration::zero(),
          [this, peer = from, self = to, incarnation, connection = pair.connection] {
            if (pair_of(peer, self).connection != connection || !pair_of(peer, self).up) return;
            lane_of(self, peer).is_told = true;
            node_of(self).events->on_up(peer, incarnation);
          });
  }
}

void Network::disconnect(NodeId a, NodeId b, const char* why) {
  Pair& pair = pair_of(a, b);
  if (!pair.up) return;
  pair.up = false;
  trace(kDown, pair.connection);
  for (const auto& [peer, self] : {std::pair{a, b}, std::pair{b, a}}) {
    lane_of(peer, self) = Lane{.slow = lane_of(peer, self).slow};  // what was on its way is lost
    after(self, Duration::zero(), [this, peer_id = peer, self_id = self, why] {
      node_of(self_id).events->on_down(peer_id, unavailable("{}", why));
    });
  }
  schedule(up_to(healed_ ? std::chrono::milliseconds(1) : faults_.reconnect_max),
           [this, a, b] { connect(a, b); });
}

void Network::kill(NodeId dead) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeId peer{static_cast<std::int64_t>(i)};
    if (peer != dead) disconnect(peer, dead, "connection reset by peer");
  }
  Node& node = node_of(dead);
  node.dead = true;
  ++node.life;
  node.tasks.clear();
}

void Network::cut(NodeId a, NodeId b) {
  pair_of(a, b).is_cut = true;
  disconnect(a, b, "no route to host");
}

void Network::revive(NodeId node) {
  node_of(node).dead = false;
  node_of(node).frozen_until = Time{};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeId peer{static_cast<std::int64_t>(i)};
    if (peer == node) continue;
    schedule(up_to(healed_ ? std::chrono::milliseconds(1) : faults_.reconnect_max),
             [this, node, peer] { connect(std::min(node, peer), std::max(node, peer)); });
  }
}

void Network::freeze(NodeId node, Duration time) {
  node_of(node).frozen_until = std::max(node_of(node).frozen_until, now_ + time);
}

SendStatus Network::send(NodeId from, NodeId to, FramePtr frame) {
  Pair& pair = pair_of(from, to);
  if (!pair.up) return SendStatus::kDown;
  Lane& lane = lane_of(from, to);
  // A transport takes nothing for a connection before it tells that there is one.
  if (!lane.is_told) return SendStatus::kDown;
  if (lane.queued_bytes > 0 && lane.queued_bytes + frame->size() > faults_.queue_bytes_max) {
    lane.wants_room = true;
    return SendStatus::kFull;
  }
  lane.queued_bytes += frame->size();
  Duration latency = std::chrono::microseconds(1) + up_to(faults_.latency_max);
  if (lane.slow && !healed_) latency *= 250;
  lane.last_arrival = std::max(lane.last_arrival, now_ + latency);
  lane.queue.emplace_back(lane.last_arrival, std::move(frame));
  schedule(lane.last_arrival - now_, [this, from, to] { pump(from, to); });
  return SendStatus::kTaken;
}

// Delivers what has arrived, in order, unless the direction is held up or the receiver frozen.
void Network::pump(NodeId from, NodeId to) {
  Lane& lane = lane_of(from, to);
  while (!lane.queue.empty() && !node_of(to).dead) {
    const Time ready =
        std::max({lane.queue.front().first, lane.held_until, node_of(to).frozen_until});
    if (ready > now_) {
      if (ready > lane.queue.front().first) {
        schedule(ready - now_, [this, from, to] { pump(from, to); });
      }
      return;
    }
    if (!node_of(to).tasks.empty()) {
      run_tasks(to);  // what was due before; it may change anything here
      continue;
    }
    const FramePtr frame = std::move(lane.queue.front().second);
    lane.queue.pop_front();
    lane.queued_bytes -= frame->size();
    deliver(from, to, frame);
  }
}

void Network::deliver(NodeId from, NodeId to, const FramePtr& frame) {
  if (node_of(to).dead) return;
  trace(kDelivered, hash_bytes(frame->bytes()));
  const bool twice = !healed_ && prng_.below(256) < faults_.duplicates;
  node_of(to).events->on_frame(from, frame);
  if (twice) node_of(to).events->on_frame(from, frame);
  Lane& lane = lane_of(from, to);
  if (lane.wants_room && lane.queued_bytes <= faults_.queue_bytes_max / 2) {
    lane.wants_room = false;
    after(from, Duration::zero(), [this, from, to] { node_of(from).events->on_room(to); });
  }
}

void Network::begin_faults() {
  plan_drop();
  plan_partition();
  plan_freeze();
}

void Network::plan_drop() {
  if (faults_.drop_every <= Duration::zero()) return;
  schedule(up_to(2 * faults_.drop_every), [this] {
    if (healed_) return;
    const NodeId a = any_node();
    const NodeId b = any_node();
    if (a != b) disconnect(a, b, "connection lost");
    plan_drop();
  });
}

void Network::plan_partition() {
  if (faults_.partition_every <= Duration::zero()) return;
  schedule(up_to(2 * faults_.partition_every), [this] {
    if (healed_) return;
    Lane& lane = lane_of(any_node(), any_node());
    lane.held_until = now_ + up_to(faults_.partition_max);
    plan_partition();
  });
}

void Network::plan_freeze() {
  if (faults_.freeze_every <= Duration::zero()) return;
  schedule(up_to(2 * faults_.freeze_every), [this] {
    if (healed_) return;
    node_of(any_node()).frozen_until = now_ + up_to(faults_.freeze_max);
    plan_freeze();
  });
}

}  // namespace godwit::sim
