// train/linreg_task.h: least squares by gradients of all weights, in steps that need not wait for
// every worker.
#pragma once

#include <memory>

#include "data/sparse_rows.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// Those of train/step_task.h.
void add_linreg_settings(Settings& settings);

// Table `weights`: 64 features in a row, the intercept behind the last. Figures: rmse, and the
// noise floor of generated data. kInvalidArgument if there is nothing to learn from, or too many
// features to have all of their weights everywhere.
Result<std::unique_ptr<Task>> make_linreg_task(const Settings& settings, SparseSet set);

}  // namespace godwit
