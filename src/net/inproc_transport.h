// net/inproc_transport.h: frames between nodes that are threads of one process, by memory.
// send() is thread-safe; all else belongs to the loop's thread, where the events are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/event_loop.h"
#include "net/transport.h"

namespace godwit {

// What the transports of one job share. Thread-safe.
class InprocNetwork {
 public:
  // `queue_bytes_max`: what may be on its way from one node to another; a single frame may be
  // larger, and then travels alone.
  explicit InprocNetwork(std::size_t queue_bytes_max = std::size_t{16} << 20);
  ~InprocNetwork();

  // Cuts the connection between two nodes, if there is one: what is on its way is lost, both see
  // on_down(), then on_up() again.
  void drop(NodeId a, NodeId b);
  // Cuts it and keeps it cut until heal().
  void cut(NodeId a, NodeId b);
  void heal(NodeId a, NodeId b);

 private:
  friend class InprocTransport;
  struct State;
  const std::shared_ptr<State> state_;
};

// Every two started transports of a network are connected.
class InprocTransport final : public Transport {
 public:
  // REQUIRES: `loop` and `events` outlive the transport, and so does every task that `loop` still
  // holds: stop the loop, then destroy the transport, then the loop.
  InprocTransport(EventLoop& loop, InprocNetwork& network, NodeId self, Incarnation incarnation,
                  TransportEvents& events);
  // Like close().
  ~InprocTransport() override;

  // From now on there are events. REQUIRES: no started transport of the network has this id.
  void start();
  // Peers see on_down(); no event is called here from now on. A second call does nothing.
  // REQUIRES: called on the loop, or while it is not running.
  void close();

  SendStatus send(NodeId peer, FramePtr frame) override;

 private:
  friend class InprocNetwork;
  struct Node;
  const std::shared_ptr<InprocNetwork::State> network_;
  const std::shared_ptr<Node> node_;
};

}  // namespace godwit
