// bench/placement_run.h: runs a job of several processes once, under one policy. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/patterns.h"
#include "bench/placement_node.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"

namespace godwit {

// What all nodes did together in the timed part.
struct PlacementFigures {
  double step_seconds = 0;    // of the slowest node
  double drain_seconds = 0;   // of the slowest node: from its last step to the end of all
  double ready_share = 1;     // of the keys: here when their lease was opened
  double local_share = -1;    // here without having been fetched for it; -1: not counted
  double bytes_per_step = 0;  // sent by one node while each of its workers makes one step
  double frames_per_step = 0;
  double clock_share = 0;        // of the bytes
  double cpu_ns_per_key = 0;     // of all threads of all nodes
  double intend_ns_per_key = 0;  // of the calling thread, half of all calls
  double resident_rows = 0;      // on all nodes, at the end: copies count
  double intend_us = 0;          // of a step, on the mean: where the time of the workers goes
  double access_us = 0;
  double advance_us = 0;
  double long_holds = 0;       // share of row locks held for longer than 5 us by an exchange
  double longest_hold_us = 0;  // of them
  double access_p50_us = 0;    // of the worst node: open, work, close
  double access_p99_us = 0;
};

// A case with its keys, which are drawn once for all runs of it.
class PlacementJob {
 public:
  // REQUIRES: that.validate() is ok.
  explicit PlacementJob(const PlacementCase& that);

  const PlacementCase& what() const { return case_; }
  // Starts a process for each node and waits for their ends. REQUIRES: this process has one
  // thread. kCorruption if rows do not hold what was added to them, kUnavailable if a process
  // ended early.
  Result<PlacementFigures> run(Placement policy);

 private:
  Result<std::vector<PlacementNodeReport>> run_nodes(Placement policy);
  Result<PlacementFigures> sum_up(const std::vector<PlacementNodeReport>& reports) const;

  const PlacementCase case_;
  const std::unique_ptr<Pattern> pattern_;
  const Trace trace_;
  const std::vector<std::uint32_t> touches_;
  std::uint64_t runs_ = 0;
};

}  // namespace godwit
