// sched/csv_table.h: a small CSV file with a header, all of it in memory. Immutable once read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/result.h"

namespace godwit {

class CsvTable {
 public:
  // kInvalidArgument, naming file and line: no header, no row, a row with more or fewer cells.
  // Errors of Disk::read().
  static Result<CsvTable> read(Disk& disk, const std::string& path);

  std::size_t rows() const { return cells_.size(); }
  bool has(std::string_view column) const;
  const std::vector<std::string>& columns() const { return columns_; }

  // REQUIRES: has(column), row < rows().
  const std::string& text(std::size_t row, std::string_view column) const;
  // kInvalidArgument, naming file, line and column: missing, no number, not finite, or outside of
  // [low, high].
  Result<double> number(std::size_t row, std::string_view column, double low, double high) const;
  // "jobs.csv:17".
  std::string place(std::size_t row) const;

 private:
  std::string path_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> cells_;
  std::vector<std::size_t> lines_;
};

}  // namespace godwit
