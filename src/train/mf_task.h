// train/mf_task.h: matrix factorization with biases, by stochastic gradient descent on two tables.
#pragma once

#include <memory>

#include "data/ratings.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// rank, epochs, learning_rate, penalty, bias_penalty, biases.
void add_mf_settings(Settings& settings);

// Replaces "auto" by what the data suggest. kInvalidArgument if there is nothing to learn from.
Result<> resolve_mf_settings(Settings& settings, const Ratings& ratings);

inline constexpr const char* kMfRows = "row_factors";
inline constexpr const char* kMfColumns = "column_factors";

// Tables `row_factors` and `column_factors`, laid out as MfLayout says, in units of the ratings'
// standard deviation about their mean. Also uses the common settings seed, consistency, placement.
std::unique_ptr<Task> make_mf_task(const Settings& settings, Ratings ratings);

}  // namespace godwit
