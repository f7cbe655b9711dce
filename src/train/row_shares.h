// train/row_shares.h: which rows each rank of a group exchanges with the tables, so that all do at
// once; and the group's collectives cut at these rows. Immutable after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "godwit/ids.h"
#include "group/tensor_list.h"
#include "train/step_model.h"

namespace godwit {

// Rows of one table, one after the other.
struct RowSpan {
  std::size_t table = 0;  // its place among the model's
  std::vector<Key> keys;
  std::size_t begin = 0;  // of their floats, where all tables are one vector
  std::size_t floats = 0;
};

class RowShares {
 public:
  // REQUIRES: 1 <= ranks; at least as many rows.
  RowShares(const std::vector<StepTable>& tables, int ranks);

  // Of all tables.
  std::size_t floats() const { return floats_; }
  // What a rank exchanges: at least one row.
  const std::vector<RowSpan>& of(int rank) const { return spans_[static_cast<std::size_t>(rank)]; }

  // `values`, which are all tables one after the other, as a list of which share_of() each rank
  // is what its rows hold and some floats of `padding`, which nobody reads.
  // REQUIRES: values.size() == floats(), padding.size() == padding_floats(); both outlive the list.
  TensorList list(std::span<float> values, std::span<float> padding) const;
  std::size_t padding_floats() const { return ends_.size() * share_ - floats_; }

 private:
  std::size_t floats_ = 0;
  std::size_t share_ = 0;          // floats of each rank's, with padding
  std::vector<std::size_t> ends_;  // of each rank's floats, without
  std::vector<std::vector<RowSpan>> spans_;
};

}  // namespace godwit
