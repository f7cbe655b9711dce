// report/csv_rows.h: what trainings leave, line by line: tables with commas under a header, and
// lines of flat objects. Pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_number.h"

namespace godwit {

// The first line of the text, which is left with the others.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

inline std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// Rows of numbers, found by the names in the first line.
class CsvRows {
 public:
  // REQUIRES: `text` outlives this.
  explicit CsvRows(std::string_view text) : rest_(text), names_(cells_of(take_line(rest_))) {}

  // False behind the last.
  bool next() {
    if (rest_.empty()) return false;
    line_ = take_line(rest_);
    cells_ = cells_of(line_);
    return true;
  }
  std::string_view line() const { return line_; }
  // Nothing if there is no such column, or no number in it.
  std::optional<double> number(std::string_view name) const {
    const auto at =
        static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    if (at >= cells_.size()) return std::nullopt;
    return parse_number<double>(cells_[at]);
  }

 private:
  std::string_view rest_;
  std::vector<std::string_view> names_;
  std::string_view line_;
  std::vector<std::string_view> cells_;
};

}  // namespace godwit
