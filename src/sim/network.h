// sim/network.h: simulated time and connections: delays, losses, repeats, partitions, freezes.
// Single-threaded and deterministic: everything follows from the seed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "base/frame.h"
#include "base/prng.h"
#include "base/time_source.h"
#include "net/transport.h"
#include "sim/faults.h"

namespace godwit::sim {

// Connections between all pairs of `nodes`, each node seen through its TransportEvents.
class Network {
 public:
  Network(std::int64_t nodes, const Faults& faults, Prng prng);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // What node `node` sends with. Its events are called from step().
  FrameSink& sink(NodeId node);
  void attach(NodeId node, TransportEvents& events);

  // Runs `task` of `node` after `delay`, later if the node is frozen then, never if it is dead.
  void after(NodeId node, Duration delay, std::function<void()> task);

  // Runs `task` after `delay`, whatever becomes of nodes.
  void schedule(Duration delay, std::function<void()> task);

  // Opens all connections and begins to do what the faults say.
  void start();
  // From now on nothing more goes wrong; what is going wrong ends as planned.
  void heal() { healed_ = true; }
  // The node is gone, like after kill -9: connections to it break and are not made again.
  void kill(NodeId node);
  // Another process takes its place, which has been attached. REQUIRES: it was killed.
  void revive(NodeId node);
  // How often it was killed.
  std::uint64_t lives(NodeId node) const { return nodes_[index_of(node)].life; }
  // The connection of these two breaks and is not made again; both live.
  void cut(NodeId a, NodeId b);
  // It does nothing for a while.
  void freeze(NodeId node, Duration time);
  // Nodes from there on are not connected with each other. REQUIRES: before start().
  void set_hubs(std::int64_t hubs) { hubs_ = hubs; }

  // Does the next thing. False when there is nothing left to do.
  bool step();
  Time now() const { return now_; }
  // A hash over all that happened so far: kinds, times, bytes.
  std::uint64_t trace_hash() const { return trace_; }

 private:
  class Sink;
  struct Event {
    Time at;
    std::uint64_t order = 0;  // of making: ties are settled by it
    std::function<void()> run;
    friend bool operator>(const Event& a, const Event& b) {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  // One direction of a pair.
  struct Lane {
    std::deque<std::pair<Time, FramePtr>> queue;  // with the time of arrival
    std::size_t queued_bytes = 0;
    bool wants_room = false;
    Time last_arrival{};
    Time held_until{};  // partitioned
    bool slow = false;
    bool is_told = false;  // the sender knows that there is a connection
  };
  // A pair, smaller id first.
  struct Pair {
    bool up = false;
    bool is_cut = false;
    std::uint64_t connection = 0;  // how many there were
  };
  struct Node {
    TransportEvents* events = nullptr;
    Time frozen_until{};
    bool dead = false;
    std::uint64_t life = 0;
    std::deque<std::function<void()>> tasks;  // due; in order, also those that a freeze held up
  };

  Pair& pair_of(NodeId a, NodeId b);
  Lane& lane_of(NodeId from, NodeId to);
  static std::size_t index_of(NodeId id) { return static_cast<std::size_t>(id.value()); }
  Node& node_of(NodeId id) { return nodes_[index_of(id)]; }

  SendStatus send(NodeId from, NodeId to, FramePtr frame);
  void run_tasks(NodeId node);
  void pump(NodeId from, NodeId to);
  void deliver(NodeId from, NodeId to, const FramePtr& frame);
  void connect(NodeId a, NodeId b);
  void disconnect(NodeId a, NodeId b, const char* why);
  void begin_faults();
  void plan_drop();
  void plan_partition();
  void plan_freeze();
  Duration up_to(Duration most);
  NodeId any_node();
  void trace(std::uint64_t kind, std::uint64_t detail);

  const Faults faults_;
  Prng prng_;
  bool healed_ = false;
  std::int64_t hubs_ = 0;  // 0: all are connected
  Time now_{};
  std::uint64_t events_made_ = 0;
  std::uint64_t trace_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Node> nodes_;
  std::vector<Lane> lanes_;
  std::vector<Pair> pairs_;
  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace godwit::sim
