// sim/step_node.h: a simulated process of a job in steps: the state machine that ships, and workers
// that compute in simulated time.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core_host.h"
#include "sim/script.h"
#include "sim/step_world.h"

namespace godwit::sim {

class StepNode final : public CoreHost {
 public:
  StepNode(StepWorld& world, NodeId self, Prng prng);
  ~StepNode() override;

  void start();
  // No more steps. REQUIRES: this is the leader.
  void stop();

  // It has said goodbye, or was told that the job cannot go on.
  bool is_finished() const { return is_finished_; }
  // What its workers are at, for a world that does not end.
  std::string describe() const;

 private:
  struct Worker {
    StepWorkerPlan plan;
    std::vector<std::vector<float>> parameters;  // by table
    std::uint64_t read = 0;                      // the latest step of which some are
    std::uint64_t hangs_in = 0;                  // this step it takes; 0: in none
    std::uint64_t taken = 0;                     // steps
    const char* at = "begin";
  };
  // A pull of the rows of a table, under way.
  struct Reading {
    std::size_t table = 0;
    TicketId ticket;
    std::vector<std::vector<std::uint32_t>> positions;  // of each request
  };
  // Awaited: that all workers have ended.
  struct AllEnded {
    StepNode& node;
    bool await_ready() const { return node.working_ == 0; }
    void await_suspend(std::coroutine_handle<> by) { node.after_workers_ = by; }
    void await_resume() const {}
  };

  void on_look() override;
  void on_error(const Error& error) override { world_.note_failure(self_, error); }
  bool has_ended() const override { return is_finished_; }
  void check_rows();
  const StepScenario& scenario() const { return world_.scenario(); }

  Script run();
  Script open_tables();
  Script do_round(std::uint64_t round);
  Script work(Worker& worker);
  Script do_step(Worker& worker, StepOrder order);
  Script read(Worker& worker, std::uint64_t step);
  Reading begin_reading(Worker& worker, std::size_t table, std::uint64_t step);
  void end_reading(Worker& worker, const Reading& reading, const Waits::Outcome& outcome,
                   std::uint64_t step);
  void note_rows(Worker& worker, std::size_t table, std::span<const std::uint32_t> positions,
                 std::span<const float> values, std::uint64_t step);
  std::vector<WorkerSums> sums_of(Worker& worker, const StepOrder& order);
  void send(Worker& worker, const StepResult& result, std::vector<WorkerSums> sums);
  bool is_over(std::uint64_t step) const {
    return core_.steps().member().over_below()->load(std::memory_order_relaxed) > step;
  }

  StepWorld& world_;
  std::vector<Tables::Entry> entries_;
  std::vector<std::vector<Key>> keys_;  // all of each table
  RowScratch scratch_;
  std::uint64_t checked_ = 0;  // rows were looked at in this step
  bool is_finished_ = false;
  const char* at_ = "begin";
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t working_ = 0;
  std::coroutine_handle<> after_workers_;
  std::vector<Script> scripts_;
};

}  // namespace godwit::sim
