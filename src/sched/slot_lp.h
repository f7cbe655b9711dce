// sched/slot_lp.h: the case of several machines as a linear program (Clp), and whole numbers from
// its solution. Owned by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sched/planner.h"
#include "sched/slot_market.h"

namespace godwit {

class SlotLp {
 public:
  struct Relaxed {
    bool feasible = false;
    double cost = 0;
    std::vector<double> counts;  // workers by machine, then servers by machine
  };
  struct Rounded {
    double cost = kNoPrice;
    JobShares placement;
  };

  SlotLp();
  ~SlotLp();

  // Forgets what was loaded before. Counts are bounded by what a machine holds of each alone, which
  // brings the program close to its whole-numbered optimum. REQUIRES: the market is open.
  void load(const SlotMarket& market);

  // The least cost of `workers` (any positive number) with as many servers as they need. Solved
  // from the last solution on. REQUIRES: loaded.
  Relaxed relaxed(double workers);

  // The cheapest that rounding finds; kNoPrice if none is feasible or the relaxed cost is not below
  // `least`. The same market, workers and seed give the same. REQUIRES: loaded with this market.
  Rounded solve(const SlotMarket& market, int workers, const PlannerOptions& options, double least);

 private:
  struct Model;

  double gain(const PlannerOptions& options) const;

  std::unique_ptr<Model> model_;
};

}  // namespace godwit
