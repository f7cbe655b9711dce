// train/group_watch.h: what a table node does for a job of groups: sees how far they have come,
// judges and saves the centre, and tells them when to end. On one thread of node 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/time_source.h"
#include "godwit/groups.h"
#include "godwit/session.h"
#include "train/progress_board.h"
#include "train/step_model.h"
#include "train/training_loop.h"

namespace godwit {

struct GroupWatchOptions {
  LoopOptions loop;  // but for its counters, levels and workers
  std::int64_t epochs = 1;
  // For groups to come, and for those that were told to end to do so.
  Duration patience = std::chrono::seconds(60);
};

struct GroupWatchEvents {
  LoopEvents loop;
  using OnWork = std::function<void(const std::vector<GroupWork>&, double seconds)>;
  using OnLive = std::function<void(const std::vector<std::int64_t>&, double seconds)>;
  // What groups have done, now and then.
  OnWork on_work = [](const auto&, double) {};
  // Those that are live now, when that has changed.
  OnLive on_live = [](const auto&, double) {};
};

// Until the groups have learned from all samples so many times, `stop` is set, or an option says
// so; then waits until they have ended, saves, judges, and lets them leave. What LoopResult says of
// segments is 0: an epoch is one. REQUIRES: the model is loaded; `tables` are its tables.
Result<LoopResult> watch_groups(Session& session, const StepModel& model,
                                std::span<const Table> tables, ProgressBoard& board,
                                const GroupWatchOptions& options, const LoopState& begin,
                                const TimeSource& time, const std::atomic<bool>& stop,
                                const GroupWatchEvents& events);

}  // namespace godwit
