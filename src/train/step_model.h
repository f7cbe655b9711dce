// train/step_model.h: a model whose parameters are rows of a few tables, trained by gradients of
// all of them: what trainers in steps (train/step_task.h) ask of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/understood.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "train/row_names.h"
#include "train/task.h"

namespace godwit {

// A table of parameters; all of its rows belong to the model.
struct StepTable {
  std::string name;
  std::uint64_t rows = 0;
  std::uint32_t row_length = 0;
  Init init;

  std::uint64_t floats() const { return rows * row_length; }
};

// Has memory for what is in between; one for each worker.
class StepGradients {
 public:
  virtual ~StepGradients() = default;
  // Adds the gradients of these samples to `sums`; both and `parameters` hold the tables one after
  // the other. The sum of their losses comes back.
  virtual double add(std::span<const float> parameters, std::span<const std::uint64_t> samples,
                     std::span<float> sums) = 0;
};

// Thread-safe.
class StepModel {
 public:
  virtual ~StepModel() = default;

  virtual std::vector<StepTable> tables() const = 0;
  virtual std::uint64_t samples() const = 0;
  virtual std::unique_ptr<StepGradients> gradients() const = 0;

  // As those of Task.
  virtual std::string quality_name() const = 0;
  virtual bool is_larger_better() const = 0;
  virtual bool has(Split split) const = 0;
  virtual std::uint64_t size(Split split) const = 0;
  // Of the samples [first, last) of a split.
  virtual void judge(std::span<const float> parameters, Split split, std::uint64_t first,
                     std::uint64_t last, Sums& sums) const = 0;
  virtual Figures figures(Split split, const Sums& sums) const = 0;
  virtual std::vector<std::string> data_notes() const = 0;
  virtual RowNames names() const { return {}; }

  // kUnavailable if something that it needs is not on this machine.
  virtual Result<> load() const { return {}; }
};

}  // namespace godwit
