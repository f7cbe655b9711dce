// cli/train_run.h: one node's part of a training, from reading the data to the last word.
#pragma once

#include <iosfwd>

#include "cli/train_options.h"
#include "launch/environment.h"
#include "train/tasks.h"

namespace godwit {

// Returns the exit code. Node 0 speaks; all say their errors.
int run_training(const TrainOptions& options, const TaskKind& kind, Settings settings,
                 const Environment& environment, std::ostream& out, std::ostream& err);

// What `error` makes of the process: 2 for what was asked wrongly, 3 if nodes were lost, else 1.
int exit_code_of(const Error& error);

}  // namespace godwit
