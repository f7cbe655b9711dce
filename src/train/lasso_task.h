// train/lasso_task.h: which few features explain a number: least squares with a penalty on the sum
// of |weights|, by coordinate descent.
#pragma once

#include <memory>

#include "data/sparse_rows.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// penalty, refit, epochs, batch.
void add_lasso_settings(Settings& settings);

// Replaces "auto". kInvalidArgument if nothing is to be learned, or the largest penalty is 0: no
// feature has to do with the labels.
Result<> resolve_lasso_settings(Settings& settings, const SparseSet& set);

// Tables `weights`, one for each column of make_lasso_columns(), and `fitted`: what the weights
// give for the examples, kLassoBlock in a row. Label minus mean minus that is an example's
// residual; it begins at zero, so that nobody has to fill it. Rows of `weights` are called by the
// feature, the last one "intercept"; the constant "mean" is the labels'. Figures: rmse, support
// (how many weights are not 0), and for generated data what the true model has.
std::unique_ptr<Task> make_lasso_task(const Settings& settings, SparseSet set);

inline constexpr std::uint64_t kLassoBlock = 64;
inline constexpr const char* kLassoWeights = "weights";

}  // namespace godwit
