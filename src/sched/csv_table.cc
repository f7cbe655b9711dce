// sched/csv_table.cc: lines into cells. No quotes: none of the traces has any.
#include "sched/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const auto end = line.find(',');
    std::string_view cell = line.substr(0, end);
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\r')) cell.remove_suffix(1);
    cells.emplace_back(cell);
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

Result<CsvTable> CsvTable::read(Disk& disk, const std::string& path) {
  GODWIT_TRY_ASSIGN(const std::vector<std::byte> bytes, disk.read(path));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  CsvTable table;
  table.path_ = path;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.find_first_not_of(" \r") == std::string_view::npos) continue;
    std::vector<std::string> cells = cells_of(line);
    if (table.columns_.empty()) {
      table.columns_ = std::move(cells);
      continue;
    }
    if (cells.size() != table.columns_.size()) {
      return invalid_argument("{}:{}: {} cells, but the header has {}", path, number, cells.size(),
                              table.columns_.size());
    }
    table.cells_.push_back(std::move(cells));
    table.lines_.push_back(number);
  }
  if (table.cells_.empty()) return invalid_argument("{}: no rows below a header", path);
  return table;
}

bool CsvTable::has(std::string_view column) const {
  return std::ranges::find(columns_, column) != columns_.end();
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  GODWIT_CHECK(found != columns_.end() && row < cells_.size());
  return cells_[row][static_cast<std::size_t>(found - columns_.begin())];
}

Result<double> CsvTable::number(std::size_t row, std::string_view column, double low,
                                double high) const {
  const std::string& cell = text(row, column);
  if (cell.empty()) return invalid_argument("{}: {} is missing", place(row), column);
  const auto value = parse_number<double>(cell);
  if (!value || !std::isfinite(*value)) {
    return invalid_argument("{}: {} is '{}', which is no number", place(row), column, cell);
  }
  if (*value < low || *value > high) {
    return invalid_argument("{}: {} is {}, but must be from {} to {}", place(row), column, cell,
                            low, high);
  }
  return *value;
}

std::string CsvTable::place(std::size_t row) const {
  return fmt::format("{}:{}", path_, lines_[row]);
}

}  // namespace godwit
