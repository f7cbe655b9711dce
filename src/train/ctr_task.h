// train/ctr_task.h: will somebody click: logistic regression or a factorization machine on sparse
// features, whatever their numbers.
#pragma once

#include <memory>

#include "data/sparse_rows.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// model, rank, epochs, learning_rate, penalty, batch.
void add_ctr_settings(Settings& settings);

// Replaces "auto". kInvalidArgument if labels are not of two classes, or nothing is to be learned.
Result<> resolve_ctr_settings(Settings& settings, const SparseSet& set);

// An unbounded table `features`, laid out as CtrModel says; the bias is the feature kBiasFeature.
std::unique_ptr<Task> make_ctr_task(const Settings& settings, SparseSet set);

inline constexpr const char* kCtrFeatures = "features";
inline constexpr std::uint64_t kBiasFeature = ~std::uint64_t{1};

}  // namespace godwit
