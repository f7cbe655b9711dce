// cli/group_train_run.h: one process's part of a training by groups: a table node, of which the
// first speaks for the job, or a rank of a group.
#pragma once

#include <iosfwd>

#include "cli/train_options.h"
#include "launch/discovery.h"
#include "launch/environment.h"
#include "train/tasks.h"

namespace godwit {

// Returns the exit code. REQUIRES: groups_of(settings) > 0, and `place` is that of a table node or
// a rank.
int run_group_training(const TrainOptions& options, const TaskKind& kind, Settings settings,
                       const JobPlace& place, const Environment& environment, std::ostream& out,
                       std::ostream& err);

// Starts this program as the table nodes and groups of a job. The exit code.
int launch_group_training(const TrainOptions& options, const Settings& settings,
                          const Environment& environment, std::ostream& out, std::ostream& err);

}  // namespace godwit
