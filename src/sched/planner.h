// sched/planner.h: the schedule of one job that pays most at the calendar's prices: the paper's
// algorithms 2 and 3. Owned by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sched/calendar.h"
#include "sched/job.h"
#include "sched/slot_market.h"

namespace godwit {

// How the case of several machines is solved.
enum class SlotMethod : std::uint8_t {
  kGreedy,  // cheapest machines first, no linear program
  kLp,      // linear program, then rounding
};
enum class Rounding : std::uint8_t { kPaper, kRepair, kBoth };

struct PlannerOptions {
  bool internal = true;  // consider having all on one machine
  SlotMethod method = SlotMethod::kGreedy;
  Rounding rounding = Rounding::kBoth;
  double delta = 0.5;        // of the paper's rounding
  double rounding_gain = 0;  // G; 0: by delta, favouring packing
  int rounding_trials = 20;
  int chunks_max = 40;  // Q: parts of the work that are scheduled as one
  int steps_max = 64;   // spans of slots that are looked at; longer jobs have longer ones
  double reach = 6;     // how far is looked, in units of what the job takes with wanted workers
  std::uint64_t seed = 1;
};

struct PlanRequest {
  const Job* job = nullptr;
  double work = 0;                // samples that are missing
  int first = 0;                  // the first slot it may run in
  int last = 0;                   // the last one
  double restart = 0;             // slots lost when a placement changes
  std::span<const char> is_up{};  // by machine; empty: all are
  bool any_price = false;         // the earliest completion that there is room for
};

// Slots [first, last] with one placement.
struct PlannedSpan {
  int first = 0;
  int last = 0;
  JobShares placement;
};

struct Schedule {
  bool found = false;  // there is room, at whatever price
  double cost = 0;
  double utility = 0;
  int completion = 0;              // the last slot
  std::vector<PlannedSpan> spans;  // in the order of time

  double payoff() const { return utility - cost; }
};

class SlotLp;

class Planner {
 public:
  Planner(const Calendar& calendar, const PlannerOptions& options);
  ~Planner();

  // The schedule with the highest utility less cost, of equal ones the earliest; `found` is false
  // if there is room for none. The calendar is only read. REQUIRES: work > 0, first >= 0,
  // last < slots of the calendar.
  Schedule best(const PlanRequest& request);

  const PlannerOptions& options() const { return options_; }

 private:
  struct Step {
    int first = 0;
    int last = 0;
    double slots = 0;  // that count: less what a restart takes
  };
  struct Table;

  void open(SlotMarket& market, const Step& step, std::span<const char> is_up);
  double step_cost(SlotMarket& market, const Step& step, double work, JobShares* out);
  double external_cost(SlotMarket& market, int workers, double least, JobShares* out);
  std::vector<Step> steps_of(const PlanRequest& request) const;
  Schedule trace(const PlanRequest& request, const Table& table, std::size_t last_step);

  const Calendar* calendar_;
  PlannerOptions options_;
  std::unique_ptr<SlotLp> lp_;
};

// Reserves or releases all of a schedule that is in slot `from` or later.
void reserve(Calendar& calendar, const Job& job, const Schedule& schedule, int from = 0);
void release(Calendar& calendar, const Job& job, const Schedule& schedule, int from = 0);

}  // namespace godwit
