// train/mf_task.h: matrix factorization with biases, by stochastic gradient descent on two tables.
#pragma once

#include <cstdint>
#include <memory>

#include "data/ratings.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "train/mf_kernels.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// rank, epochs, learning_rate, penalty, bias_penalty, biases.
void add_mf_settings(Settings& settings);

// Replaces "auto" by what the data suggest. kInvalidArgument if there is nothing to learn from.
Result<> resolve_mf_settings(Settings& settings, const Ratings& ratings);

inline constexpr const char* kMfRows = "row_factors";
inline constexpr const char* kMfColumns = "column_factors";

// What settings and data make of the model; also for who learns it without tables.
struct MfSetup {
  MfLayout layout;
  MfStep step;
  TableSpec rows;
  TableSpec columns;
  std::uint32_t blocks = 0;
  std::uint64_t seed = 0;
};

// REQUIRES: resolve_mf_settings().
MfSetup mf_setup_of(const Settings& settings, const Ratings& ratings);

// Tables `row_factors` and `column_factors`, laid out as MfLayout says, in units of the ratings'
// standard deviation about their mean. Also uses the common settings seed, consistency, placement.
std::unique_ptr<Task> make_mf_task(const Settings& settings, Ratings ratings);

}  // namespace godwit
