// sim/clock_node.h: a simulated process of a job with bounded reads: the state machine that ships,
// and workers that check it.
#pragma once

#include <coroutine>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/node_core.h"
#include "core/tables.h"
#include "core/tick_log.h"
#include "sim/clock_world.h"
#include "sim/script.h"

namespace godwit::sim {

class ClockNode final : public TransportEvents, public TicketEvents {
 public:
  ClockNode(ClockWorld& world, NodeId self, Prng prng);
  ~ClockNode() override;

  void start();

  void on_up(NodeId peer, Incarnation incarnation) override;
  void on_frame(NodeId peer, FramePtr frame) override;
  void on_room(NodeId peer) override;
  void on_down(NodeId peer, const Error& why) override;
  void on_done(TicketId ticket) override;

  bool is_finished() const { return is_finished_; }
  NodeCore& core() { return core_; }
  const NodeCore& core() const { return core_; }
  TableId table() const { return table_; }
  std::vector<float> row(Key key) const;
  // What its workers are at, for a world that does not end.
  std::string describe() const;

 private:
  struct Held {
    LeaseRows rows;
    Tick first;
    Tick last;
    bool is_open = false;
  };
  struct Worker {
    std::size_t number = 0;  // in the job
    WorkerId id;
    ClockWorkerPlan plan;
    Tick tick;
    std::vector<std::unique_ptr<Held>> leases;
    std::vector<float> seen;          // of each element of each row
    std::vector<std::int64_t> added;  // to each row, and acknowledged
    struct Pushed {
      TicketId ticket;
      std::vector<Key> keys;
    };
    std::vector<Pushed> under_way;
    std::unique_ptr<TickLog> log;  // of a bsp table
    std::set<Key> changed;         // in the present tick
    const char* at = "begin";
  };
  // Awaited: the ticket's outcome; some time later.
  struct Done {
    ClockNode& node;
    TicketId ticket;
    bool await_ready() const { return node.core_.waits().is_done(ticket); }
    void await_suspend(std::coroutine_handle<> by) { node.waiting_[ticket] = by; }
    void await_resume();
  };
  struct Pause {
    ClockNode& node;
    Duration time;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> by);
    void await_resume() const {}
  };

  Time now() const { return world_.network().now(); }
  Done done(TicketId ticket) { return {*this, ticket}; }
  Pause pause(Duration most) {
    return {*this, Duration(1 + prng_.below(static_cast<std::uint64_t>(most.count()) + 1))};
  }
  TicketId reserve() { return core_.waits().reserve(); }
  void arm_timer();
  void run_rounds();
  std::vector<Key> draw_keys();
  Tick needed(const Worker& worker, const Held& held) const;
  bool must_wait(const std::vector<Key>& keys) const;
  bool is_here(Key key) const;

  Script run();
  Script work(Worker& worker);
  // Waits until others are close enough for its tick to begin.
  Script pass_gate(Worker& worker);
  Script do_tick(Worker& worker);
  Script end_tick(Worker& worker);
  Script read(Worker& worker);
  // Waits for it, or leaves that for later.
  Script push(Worker& worker);
  Script wait_for_pushes(Worker& worker);
  Script use_leases(Worker& worker);
  // Waits until the rows may be read.
  Script settle(Worker& worker, LeaseRows& rows);
  void make_lease(Worker& worker);
  void end_lease(LeaseRows& rows);
  void check_row(Worker& worker, Key key, const float* row);

  bool is_bsp() const { return world_.scenario().is_bsp; }
  void push_bsp(Worker& worker);
  // REQUIRES of these: the rows may be read.
  void look_at(Worker& worker, LeaseRows& rows, std::size_t i);
  void write_bsp(Worker& worker, LeaseRows& rows);
  void send_bsp(Worker& worker);
  void check_bsp(Worker& worker, Key key);
  float draw_float();

  ClockWorld& world_;
  const NodeId self_;
  Prng prng_;
  Tables tables_;
  NodeCore core_;
  TableRows* rows_ = nullptr;
  TableId table_;
  RowScratch scratch_;
  std::vector<float> row_;
  Time timer_armed_ = Time::max();
  bool is_finished_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<TicketId, std::coroutine_handle<>> waiting_;
  std::vector<Script> scripts_;
};

}  // namespace godwit::sim
