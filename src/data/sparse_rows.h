// data/sparse_rows.h: labelled rows of few features: LIBSVM files. Pure but for reading files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/data_files.h"
#include "data/understood.h"
#include "godwit/result.h"

namespace godwit {

// Row i has the entries [begins[i], begins[i + 1]) of `features` and `values`.
struct SparseRows {
  std::vector<float> labels;
  std::vector<std::uint64_t> begins = {0};
  std::vector<std::uint64_t> features;
  std::vector<float> values;

  std::size_t size() const { return labels.size(); }
  // Closes a row whose features and values were appended before.
  void end_row(float label) {
    labels.push_back(label);
    begins.push_back(features.size());
  }
};

struct SparseSet {
  SparseRows train, valid, test;
  std::uint64_t features = 0;  // 1 + largest; hashed features make it large: use an unbounded table
  bool binary = false;         // every label is -1, 0 or 1: two classes, label > 0 is the positive
  // > 0 if generated: what the true model reaches on `test`.
  double optimal_logloss = 0;  // of binary sets, in nats
  double optimal_auc = 0;      // of binary sets
  double noise_floor = 0;      // RMSE, of sets with numbers as labels
  Understood understood;
};

// Lines `label feature:value ...`; a label is any finite number, features rise within a line, text
// from '#' on is a comment. Valid and test are empty if there are no such files: see
// split_sparse(). kInvalidArgument naming file:line and the text for a malformed line, a number
// that is not finite, a set without rows; errors of LineReader.
Result<SparseSet> read_sparse(const DataFiles& files);

}  // namespace godwit
