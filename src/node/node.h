// node/node.h: a node of a job: the state machine, the lock around it, the loop thread that feeds
// it from sockets, and the blocking of threads that wait for it. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/time_source.h"
#include "core/node_core.h"
#include "core/tables.h"
#include "net/event_loop.h"
#include "net/socket_transport.h"
#include "net/transport.h"

namespace godwit {

struct NodeOptions {
  NodeId self{0};
  std::int64_t nodes = 1;
  std::uint64_t memory_bytes_max = 0;  // 0: what the machine has
  Duration wait_max = std::chrono::minutes(10);
  Duration join_within = std::chrono::seconds(60);
  Liveness liveness;

  // Of jobs with more than one node.
  std::string rendezvous;  // "host:port" or "unix:/path"
  JobKey job;
  std::string tcp_address = "127.0.0.1";
  bool unix_socket = true;
};

class Node final : private TransportEvents, private TicketEvents {
 public:
  // Joins the job: returns when all nodes are there. Alone, it starts no thread and no socket.
  static Result<std::shared_ptr<Node>> open(const NodeOptions& options);
  // Without close(), peers see this node as lost.
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Result<Tables::Entry> open_table(const TableSpec& spec);
  Result<> barrier();
  Result<> close();

  NodeId self() const { return options_.self; }
  std::int64_t nodes() const { return options_.nodes; }
  Metrics& metrics() { return metrics_; }

  // Only its thread-safe functions.
  const Router& router() const { return core_.router(); }
  TicketId reserve() { return core_.waits().reserve(); }
  // Sends the requests of a ticket, when the peers have room for them. On an error the ticket has
  // ended.
  Result<> send(TicketId ticket, Purpose purpose, std::uint32_t row_length,
                std::vector<OutgoingRequest> requests);
  // Blocks until the ticket is done, and ends it.
  Result<Waits::Outcome> wait(TicketId ticket);

 private:
  class Waiter;
  // Hands the state machine's frames to the transport, once there is one.
  class Sender final : public FrameSink {
   public:
    explicit Sender(Metrics& metrics)
        : frames_(metrics.counter("sent.frames").make_cell()),
          bytes_(metrics.counter("sent.bytes").make_cell()) {}
    SendStatus send(NodeId peer, FramePtr frame) override;
    Transport* transport = nullptr;

   private:
    CounterCell* const frames_;  // both are written under the node's lock
    CounterCell* const bytes_;
  };

  explicit Node(const NodeOptions& options);
  Result<> join();
  void leave_network(Duration linger);

  void on_up(NodeId peer, Incarnation incarnation) override;
  void on_frame(NodeId peer, FramePtr frame) override;
  void on_room(NodeId peer) override;
  void on_down(NodeId peer, const Error& why) override;
  void on_done(TicketId ticket) override;

  // fn() on the state machine, under its lock; then wakes who waited for what it did.
  template <class Fn>
  void with_core(Fn&& fn) GODWIT_EXCLUDES(mutex_);
  void arm_timer();
  Result<> wait_done(TicketId ticket);
  Result<> wait_for_room(NodeId peer, MutexLock& lock) GODWIT_REQUIRES(mutex_);
  Error timeout_error(TicketId ticket);

  const NodeOptions options_;
  const RealTime time_;
  Log log_;
  Metrics metrics_;
  Tables tables_;

  Mutex mutex_;
  Sender sender_;
  NodeCore core_;  // guarded by mutex_, except what is thread-safe in it
  std::map<TicketId, Waiter*> waiters_ GODWIT_GUARDED_BY(mutex_);
  std::vector<Waiter*> to_wake_ GODWIT_GUARDED_BY(mutex_);
  CondVar room_;
  int waiting_for_room_ GODWIT_GUARDED_BY(mutex_) = 0;

  // Of jobs with more than one node. The order matters: the loop outlives the transport.
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<SocketTransport> transport_;
  std::jthread loop_thread_;
  Time timer_armed_ = Time::max();  // only in tasks of the loop
};

}  // namespace godwit
