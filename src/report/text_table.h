// report/text_table.h: rows of cells as aligned text. Not thread-safe.
#pragma once

#include <string>
#include <vector>

namespace godwit {

// Columns are as wide as their widest cell, two blanks apart; the first is left-aligned, the
// others right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  // REQUIRES: as many cells as the header has.
  void add(std::vector<std::string> row);

  // The header, a rule and the rows, each line ended.
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace godwit
