// report/text_table.cc: measures the columns, then prints.
#include "report/text_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/parse_number.h"

namespace godwit {
namespace {

bool reads_as_number(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_number<double>(text).has_value();
}

std::vector<std::string> lines_of(const TextRows& rows, const std::vector<bool>& is_right) {
  std::vector<std::size_t> widths(is_right.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - text_width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += is_right[i] ? padding + row[i] : row[i] + padding;
    }
    line.resize(line.find_last_not_of(' ') + 1);  // npos + 1 is 0
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<bool> number_columns(const TextRows& rows) {
  std::vector<bool> is_number(rows.front().size(), rows.size() > 1);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < std::min(rows[r].size(), is_number.size()); ++c) {
      if (!rows[r][c].empty() && !reads_as_number(rows[r][c])) is_number[c] = false;
    }
  }
  return is_number;
}

std::string aligned_rows(const TextRows& rows) {
  std::string text;
  if (rows.empty()) return text;
  std::vector<bool> is_right = number_columns(rows);
  for (const auto& row : rows) is_right.resize(std::max(is_right.size(), row.size()));
  for (const std::string& line : lines_of(rows, is_right)) text += line + "\n";
  return text;
}

TextTable::TextTable(std::vector<std::string> header, Align others) : others_(others) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  GODWIT_CHECK_EQ(row.size(), rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::to_string() const {
  std::vector<bool> is_right(rows_.front().size(), others_ == Align::kRight);
  is_right[0] = false;
  std::vector<std::string> lines = lines_of(rows_, is_right);
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line));
  lines.insert(lines.begin() + 1, std::string(width, '-'));
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace godwit
