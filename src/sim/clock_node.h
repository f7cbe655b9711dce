// sim/clock_node.h: a simulated process of a job with bounded reads: the state machine that ships,
// and workers that check it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/tick_log.h"
#include "sim/clock_world.h"
#include "sim/core_host.h"
#include "sim/script.h"

namespace godwit::sim {

class ClockNode final : public CoreHost {
 public:
  ClockNode(ClockWorld& world, NodeId self, Prng prng);
  ~ClockNode() override;

  void start();

  bool is_finished() const { return is_finished_; }
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
  void on_error(const Error& error) override;
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
  TableRows* rows_ = nullptr;
  TableId table_;
  RowScratch scratch_;
  std::vector<float> row_;
  bool is_finished_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Script> scripts_;
};

}  // namespace godwit::sim
