// net/inproc_transport.cc: every event is a task posted to the loop of the node that it is for.
// One mutex guards the whole network: it serves tests, not speed.
#include "net/inproc_transport.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/mutex.h"

namespace godwit {

struct InprocTransport::Node {
  Node(EventLoop& node_loop, NodeId node_id, Incarnation node_incarnation, TransportEvents& sink)
      : loop(node_loop), id(node_id), incarnation(node_incarnation), events(sink) {}

  EventLoop& loop;
  const NodeId id;
  const Incarnation incarnation;
  TransportEvents& events;
  bool is_closed = false;  // of the loop's thread
};

struct InprocNetwork::State {
  using Node = InprocTransport::Node;
  using Pair = std::pair<NodeId, NodeId>;

  // One direction of a connection.
  struct Lane {
    std::size_t bytes = 0;  // on their way
    std::size_t frames = 0;
    std::size_t refused_bytes = 0;  // largest that got kFull; 0: none
  };

  explicit State(std::size_t bytes_max) : queue_bytes_max(bytes_max) {}

  const std::size_t queue_bytes_max;
  Mutex mutex;
  std::map<NodeId, std::shared_ptr<Node>> nodes GODWIT_GUARDED_BY(mutex);
  std::set<Pair> cuts GODWIT_GUARDED_BY(mutex);  // the lower id first
  // By (from, to); both directions are there while two nodes are connected. A connection made anew
  // has new lanes, which is how frames of the old one are told apart.
  std::map<Pair, std::shared_ptr<Lane>> lanes GODWIT_GUARDED_BY(mutex);

  static Pair ordered(NodeId a, NodeId b) { return a < b ? Pair(a, b) : Pair(b, a); }

  void tell_up(NodeId to, NodeId of) GODWIT_REQUIRES(mutex) {
    const auto node = nodes.at(to);
    node->loop.post([node, of, incarnation = nodes.at(of)->incarnation] {
      if (!node->is_closed) node->events.on_up(of, incarnation);
    });
  }

  void tell_down(NodeId to, NodeId of, const Error& why) GODWIT_REQUIRES(mutex) {
    const auto node = nodes.at(to);
    node->loop.post([node, of, why] {
      if (!node->is_closed) node->events.on_down(of, why);
    });
  }

  void connect(NodeId a, NodeId b) GODWIT_REQUIRES(mutex) {
    if (!nodes.contains(a) || !nodes.contains(b) || cuts.contains(ordered(a, b))) return;
    if (lanes.contains({a, b})) return;
    lanes[{a, b}] = std::make_shared<Lane>();
    lanes[{b, a}] = std::make_shared<Lane>();
    tell_up(a, b);
    tell_up(b, a);
  }

  void disconnect(NodeId a, NodeId b, const std::string& why) GODWIT_REQUIRES(mutex) {
    if (lanes.erase({a, b}) == 0) return;
    lanes.erase({b, a});
    tell_down(a, b, unavailable("connection to node {} was lost: {}", b, why));
    tell_down(b, a, unavailable("connection to node {} was lost: {}", a, why));
  }

  // On the loop of `to`: a frame has come to the end of its lane. False if the lane is no more.
  bool arrive(Pair from_to, const std::shared_ptr<Lane>& lane, std::size_t size)
      GODWIT_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    const auto found = lanes.find(from_to);
    if (found == lanes.end() || found->second != lane) return false;
    lane->bytes -= size;
    --lane->frames;
    if (lane->refused_bytes != 0 && lane->bytes <= queue_bytes_max / 2 &&
        (lane->frames == 0 || lane->bytes + lane->refused_bytes <= queue_bytes_max)) {
      lane->refused_bytes = 0;
      const auto node = nodes.at(from_to.first);
      node->loop.post([node, peer = from_to.second] {
        if (!node->is_closed) node->events.on_room(peer);
      });
    }
    return true;
  }
};

InprocNetwork::InprocNetwork(std::size_t queue_bytes_max)
    : state_(std::make_shared<State>(queue_bytes_max)) {
  GODWIT_CHECK_GT(queue_bytes_max, 0U);
}

InprocNetwork::~InprocNetwork() = default;

void InprocNetwork::drop(NodeId a, NodeId b) {
  const MutexLock lock(state_->mutex);
  state_->disconnect(a, b, "dropped");
  state_->connect(a, b);
}

void InprocNetwork::cut(NodeId a, NodeId b) {
  const MutexLock lock(state_->mutex);
  state_->cuts.insert(State::ordered(a, b));
  state_->disconnect(a, b, "cut");
}

void InprocNetwork::heal(NodeId a, NodeId b) {
  const MutexLock lock(state_->mutex);
  state_->cuts.erase(State::ordered(a, b));
  state_->connect(a, b);
}

InprocTransport::InprocTransport(EventLoop& loop, InprocNetwork& network, NodeId self,
                                 Incarnation incarnation, TransportEvents& events)
    : network_(network.state_), node_(std::make_shared<Node>(loop, self, incarnation, events)) {}

InprocTransport::~InprocTransport() {
  close();
}

void InprocTransport::start() {
  const MutexLock lock(network_->mutex);
  const bool is_first = network_->nodes.emplace(node_->id, node_).second;
  GODWIT_CHECK(is_first);
  for (const auto& [id, node] : network_->nodes) {
    if (id != node_->id) network_->connect(node_->id, id);
  }
}

void InprocTransport::close() {
  if (std::exchange(node_->is_closed, true)) return;
  const MutexLock lock(network_->mutex);
  const auto found = network_->nodes.find(node_->id);
  if (found == network_->nodes.end() || found->second != node_) return;  // never started
  for (const auto& [id, node] : network_->nodes) {
    if (id != node_->id) network_->disconnect(node_->id, id, "the other side closed it");
  }
  network_->nodes.erase(node_->id);
}

SendStatus InprocTransport::send(NodeId peer, FramePtr frame) {
  const std::size_t size = frame->size();
  GODWIT_CHECK(size > 0 && size <= kFrameBytesMax);
  const InprocNetwork::State::Pair from_to(node_->id, peer);
  // Posted under the lock, so that the frames of several threads are in one order.
  const MutexLock lock(network_->mutex);
  const auto found = network_->lanes.find(from_to);
  if (found == network_->lanes.end()) return SendStatus::kDown;
  const auto lane = found->second;
  if (lane->frames != 0 && lane->bytes + size > network_->queue_bytes_max) {
    lane->refused_bytes = std::max(lane->refused_bytes, size);
    return SendStatus::kFull;
  }
  lane->bytes += size;
  ++lane->frames;
  const auto to = network_->nodes.at(peer);
  to->loop.post([network = network_, to, lane, from_to, frame = std::move(frame)] {
    if (to->is_closed || !network->arrive(from_to, lane, frame->size())) return;
    to->events.on_frame(from_to.first, frame);
  });
  return SendStatus::kTaken;
}

}  // namespace godwit
