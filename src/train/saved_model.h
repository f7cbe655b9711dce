// train/saved_model.h: a trained model as its run's directory holds it: settings, rows, names. Read
// without the data and without a job. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/checkpoint.h"
#include "godwit/result.h"
#include "train/row_names.h"
#include "train/settings.h"

namespace godwit {

// All rows of one table, in the order of keys; those that nobody has touched are as they began.
struct ModelTable {
  TableSpec spec;
  std::vector<Key> keys;           // of an unbounded table, rising; else none: row i has the key i
  std::vector<float> values;       // row after row; no optimizer state
  std::vector<std::string> names;  // of rows; none: they are known by their keys

  std::size_t rows() const { return values.size() / spec.row_length; }
  std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * spec.row_length, spec.row_length);
  }
  std::string name_of(std::size_t row) const;
  // The row of this name. kNotFound, naming what may be meant; `what` is such a row: "entity".
  Result<std::size_t> find(std::string_view name, std::string_view what) const;
};

class SavedModel {
 public:
  // Where a run keeps its parts.
  static std::string checkpoints_of(const std::string& run) { return run + "/ckpt"; }
  static std::string names_of(const std::string& run) { return run + "/names"; }

  // The newest checkpoint of the run whose directory is `run`. kNotFound if there is none,
  // kCorruption if none of them can be used.
  static Result<SavedModel> open(Disk& disk, const std::string& run);

  const std::string& task() const { return task_; }
  const Settings& settings() const { return settings_; }
  const CheckpointReader& checkpoint() const { return reader_; }
  const RowNames& names() const { return names_; }

  // Of Task::constants(). kNotFound if the checkpoint has none of this name.
  Result<double> constant(const std::string& name) const;
  // All of them.
  std::map<std::string, double> constants() const;

  std::vector<std::string> table_names() const;
  // kInvalidArgument, naming all, if there is no such table; kCorruption if its rows or names are
  // damaged; kOutOfMemory if it does not fit.
  Result<ModelTable> read(const std::string& table) const;

 private:
  SavedModel(CheckpointReader reader, RowNames names, std::string task, Settings settings);

  CheckpointReader reader_;
  RowNames names_;
  std::string task_;
  Settings settings_;
};

}  // namespace godwit
