// bench/placement_node.h: what one node of a placement benchmark does, and what it reports.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/forked_nodes.h"
#include "bench/patterns.h"
#include "godwit/lease.h"
#include "godwit/session.h"
#include "godwit/table_spec.h"

namespace godwit {

// What is run. Each step of a worker is one tick: it says `ahead` ticks before which rows it will
// touch, opens their lease, computes, closes it, and advances.
struct PlacementCase {
  PatternOptions pattern;
  std::size_t warm_steps = 500;  // not timed
  std::size_t steps = 1000;      // of each worker
  std::size_t ahead = 100;
  double compute_ms = 0;  // slept in each step, beside what is computed
  Access access = Access::kLocked;
  bool opens = true;  // false: leases are closed unopened, to see what intents cost
  std::string link;   // rate and delay of the nodes' links, as "1gbit,0.2ms"; empty: none
  Consistency consistency;

  Result<> validate() const;
  std::size_t traced_steps() const { return warm_steps + steps + ahead; }
};

// "kge/batch=1/nodes=2x1/compute=0ms/ahead=100".
std::string to_string(const PlacementCase& that);

// Of the timed part. Plain, since it goes through a pipe.
struct PlacementNodeReport : ForkedReport {
  double seconds = 0;        // the barrier at the end included
  double drain_seconds = 0;  // of that barrier: for the slowest node, and what is still to be sent
  double cpu_seconds = 0;
  double intend_p50 = 0;  // seconds of a call of Worker::intend()
  double keys = 0;        // of the steps
  double leased_keys = 0;
  double missed_keys = 0;    // not here when their lease was opened
  double brought_keys = -1;  // not here when their intent was acted on; -1: not counted
  double sent_bytes = 0;
  double sent_frames = 0;
  double clock_bytes = 0;
  double resident_rows = 0;   // at the end
  double intend_seconds = 0;  // in all calls of all workers
  double access_seconds = 0;
  double advance_seconds = 0;
  double access_p50 = 0;  // seconds of open, work and close of a step
  double access_p99 = 0;
  double holds = 0;          // of row locks by exchanges and ends of visits: measured
  double long_holds = 0;     // of those, longer than 5 us
  double longest_hold = 0;   // seconds
  double touches_found = 0;  // of rows whose home is this node
};
static_assert(std::is_trivially_copyable_v<PlacementNodeReport>);

// Runs one node to its end and checks the rows whose home it is: kCorruption if a row was not
// touched as often as `touches` says (locked access only; racy access may lose one in a hundred
// of all).
PlacementNodeReport run_placement_node(const PlacementCase& that, Placement policy,
                                       const Pattern& pattern, const Trace& trace,
                                       const std::vector<std::uint32_t>& touches,
                                       const SessionOptions& place);

}  // namespace godwit
