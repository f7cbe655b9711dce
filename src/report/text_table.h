// report/text_table.h: rows of cells as aligned text. A TextTable is not thread-safe; the functions
// are pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

using TextRows = std::vector<std::vector<std::string>>;

// Columns that UTF-8 text takes on a terminal, if each character takes one.
std::size_t text_width(std::string_view text);

// For each cell of the header, rows[0], whether all that stands below are numbers, or shares in %.
std::vector<bool> number_columns(const TextRows& rows);

// Columns are as wide as their widest cell, two blanks apart; those of numbers are right-aligned.
// Each line is ended, and has no blanks at its end. Rows may be shorter than the header.
std::string aligned_rows(const TextRows& rows);

// With a rule below the header. The first column is left-aligned, the others as told.
class TextTable {
 public:
  enum class Align { kRight, kLeft };

  explicit TextTable(std::vector<std::string> header, Align others = Align::kRight);

  // REQUIRES: as many cells as the header has.
  void add(std::vector<std::string> row);

  // The header, a rule and the rows, each line ended.
  std::string to_string() const;

 private:
  TextRows rows_;
  Align others_;
};

}  // namespace godwit
