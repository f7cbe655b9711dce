// train/model_export.cc: columns by task.
#include "train/model_export.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "train/lasso_task.h"
#include "train/mf_kernels.h"

namespace godwit {
namespace {

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("f{}", i));
  return names;
}

// Names of the first floats of a row; those behind them are the optimizer's.
std::vector<std::string> columns_of(const SavedModel& model, const ModelTable& table) {
  if (model.task() == "mf") {
    const MfLayout layout{.rank = static_cast<std::size_t>(model.settings().count("rank"))};
    auto columns = numbered(layout.rank);
    columns.emplace_back("bias");
    return columns;
  }
  if (model.task() == "ctr") {
    auto columns = numbered(table.spec.row_length - 1);
    columns.insert(columns.begin(), "weight");
    return columns;
  }
  if (model.task() == "lasso" && table.spec.name == kLassoWeights) return {"weight"};
  return numbered(table.spec.row_length);
}

}  // namespace

Result<VectorTable> exported_table(const SavedModel& model, const std::string& table) {
  GODWIT_TRY_ASSIGN(ModelTable read, model.read(table));
  VectorTable exported{.name = table, .columns = columns_of(model, read), .rows = read.rows()};
  const std::size_t length = exported.columns.size();
  if (length == read.spec.row_length) {
    exported.values = std::move(read.values);
  } else {
    exported.values.reserve(exported.rows * length);
    for (std::size_t i = 0; i < read.rows(); ++i) {
      const auto row = read.row(i).subspan(0, length);
      exported.values.insert(exported.values.end(), row.begin(), row.end());
    }
  }
  exported.names = std::move(read.names);
  exported.keys = std::move(read.keys);
  return exported;
}

}  // namespace godwit
