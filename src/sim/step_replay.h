// sim/step_replay.h: what must come of a job in steps: a plain loop over what its leader decided
// and what its workers sent, and the books on which sample counted when. Single-threaded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/step_leader.h"
#include "core/step_member.h"
#include "sim/step_scenario.h"
#include "store/table_rows.h"

namespace godwit::sim {

// What a worker has added up, of one table.
struct WorkerSums {
  std::size_t table = 0;  // of the scenario
  std::vector<Key> keys;
  std::vector<float> floats;
};

class StepReplay {
 public:
  using Fail = std::function<void(const std::string& what)>;

  // REQUIRES: the scenario outlives this.
  StepReplay(const StepScenario& scenario, Fail fail);

  // Steps like these begin.
  void begin(const StepOptions& options);
  // The leader has decided: checks what it chose, and goes on to the next parameters.
  void on_orders(const StepOrders& orders);
  // A worker was told this.
  void check_order(const StepWorkerPlan& worker, const StepOrder& order);
  // A worker that has read parameters, at the latest those of `read`, sends this.
  void note_sent(const StepWorkerPlan& worker, std::uint64_t step, std::vector<WorkerSums> sums,
                 std::uint64_t read);
  // Not all samples have to count.
  void excuse() { is_excused_ = true; }

  // The first step from `from` on in which rows of a table were like this; a checker fires if there
  // is none. `values` are those of `keys`, in this order.
  std::uint64_t step_of(std::size_t table, std::span<const Key> keys, std::span<const float> values,
                        std::uint64_t from);
  // A row of a table in a step. REQUIRES: the step has begun.
  std::span<const float> row(std::size_t table, Key key, std::uint64_t step) const;

  std::uint64_t steps() const { return parameters_.size() - 1; }
  std::uint64_t results() const { return chosen_.size(); }
  std::uint64_t late_results() const { return late_results_; }

 private:
  struct Sent {
    std::vector<WorkerSums> sums;
    std::uint64_t read = 0;
  };
  struct Oracle {
    std::unique_ptr<TableRows> rows;
    std::size_t at = 0;  // of its first float among all parameters
    std::size_t length = 0;
  };

  void note_shares(const StepOrders& orders);
  void check_chosen(const StepOrders& orders, const ChosenRecord& chosen);
  // Counts them. How many.
  std::uint64_t count_samples(const ChosenRecord& chosen);
  // `samples`: that the chosen results are about.
  void check_mean(const StepOrders& orders, std::uint64_t samples) const;
  void apply(const StepOrders& orders);
  void check_end();

  const StepScenario& scenario_;
  const Fail fail_;
  MemoryBudget budget_{std::uint64_t{1} << 28};
  std::vector<Oracle> tables_;
  std::vector<std::vector<float>> parameters_;  // by step
  StepOptions options_;
  std::vector<std::uint32_t> counted_;  // of each position of this round
  std::uint64_t given_until_ = 0;       // all positions before this were given to somebody
  std::map<ChosenRecord, std::vector<SampleShare>> given_;
  std::map<ChosenRecord, Sent> sent_;
  std::set<ChosenRecord> chosen_;
  std::uint64_t late_results_ = 0;
  bool is_excused_ = false;
};

}  // namespace godwit::sim
