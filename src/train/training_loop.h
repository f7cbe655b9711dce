// train/training_loop.h: goes over the data, epoch by epoch and segment by segment, with all
// workers of the job; judges, saves and stops where they meet. All nodes run it, and all decide the
// same.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "godwit/session.h"
#include "train/task.h"

namespace godwit {

// What is trained next.
struct Cursor {
  std::int64_t epoch = 0;  // from 0
  std::int64_t segment = 0;

  friend bool operator==(const Cursor&, const Cursor&) = default;
};

// What must be known to go on later as if nothing had happened.
struct LoopState {
  Cursor next;
  double seconds = 0;          // that this took, judging included
  std::optional<double> best;  // first figure on the validation split, of all judged so far
  std::int64_t worse = 0;      // judgements since then
};

// After a segment, of the whole job.
struct SegmentReport {
  Cursor next;
  double seconds = 0;  // since training began
  double segment_seconds = 0;
  double loss = 0;      // mean over the segment's examples
  double examples = 0;  // of the segment
  double share_done = 0;
  std::map<std::string, double> grown;   // in the segment: what LoopOptions names, of all nodes
  std::map<std::string, double> levels;  // at its end, likewise
};

struct JudgeReport {
  std::int64_t epoch = 0;  // how many have been trained
  Split split = Split::kValid;
  double seconds = 0;        // since training began
  double judge_seconds = 0;  // this took
  Figures figures;
  bool is_best = false;  // of all judged on this split so far
};

enum class StopCause : std::uint8_t { kFinished, kInterrupted, kOutOfTime, kNoBetter };

struct LoopOptions {
  std::int64_t workers = 1;      // of each node
  std::int64_t judge_every = 1;  // epochs; 0: only at the end
  bool judges_test = false;      // by the test split too, each time; nothing is decided by that
  std::int64_t patience = 0;     // stops after so many judgements without a better one; 0: never
  double seconds_max = 0;        // trains no longer than this from now on; 0: no limit
  double save_every = 0;         // seconds; 0: only at the end
  // Names of Session::metrics() to add up over nodes: counters, and what goes up and down.
  std::vector<std::string> counters;
  std::vector<std::string> levels;
};

// What the loop tells and asks its surroundings; reports come on node 0 only.
struct LoopEvents {
  std::function<void(const SegmentReport&)> on_segment = [](const auto&) {};
  // About every two seconds while workers of node 0 are at work, if the task asks whether it shall
  // end early; by one of their threads, one at a time.
  std::function<void()> on_going = [] {};
  std::function<void(const JudgeReport&)> on_judged = [](const auto&) {};
  // On all nodes, while no worker works. An error is on_save_failed's business: training goes on.
  std::function<Result<>(const LoopState&)> save = [](const auto&) { return Result<>(); };
  std::function<void(const Error&)> on_save_failed = [](const auto&) {};
};

struct LoopResult {
  StopCause cause = StopCause::kFinished;
  Cursor next;
  bool is_saved = true;  // as it is at `next`
  double seconds = 0;    // of training, judging not counted
  double examples = 0;
  std::optional<JudgeReport> valid;  // the last ones; on all nodes
  std::optional<JudgeReport> test;
};

// Trains from `begin` on until the last epoch has ended, `stop` is set on any node, or an option
// says so; then saves, and judges by what there is, unless it was interrupted. REQUIRES: `task` is
// open; all nodes call it with the same arguments (`stop` and `events` aside).
Result<LoopResult> train(Session& session, Task& task, const LoopOptions& options,
                         const LoopState& begin, const TimeSource& time,
                         const std::atomic<bool>& stop, const LoopEvents& events);

// Judges the whole job's model on a split, with all workers.
Result<Figures> judge(Session& session, Task& task, std::vector<Worker>& workers, Split split);

// So many workers of this node.
Result<std::vector<Worker>> make_workers(Session& session, std::int64_t count);

}  // namespace godwit
