// train/export_text.cc: csv, word2vec's two formats, TensorBoard's projector.
#include <fmt/format.h>

#include <iterator>

#include "base/try.h"
#include "train/export_file.h"
#include "train/exporters.h"

namespace godwit {
namespace {

// `text` with each of `letters` replaced.
std::string replaced(std::string text, std::string_view letters, char by) {
  for (char& letter : text) {
    if (letters.find(letter) != letters.npos) letter = by;
  }
  return text;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string cell = "\"";
  for (const char letter : text) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + '"';
}

// The name of a word: one of word2vec ends at a blank.
std::string word_of(const VectorTable& table, std::uint64_t row) {
  return replaced(table.name_of(row), " \t\r\n", '_');
}

void add_numbers(std::string& line, std::span<const float> numbers, char separator) {
  for (const float number : numbers) {
    if (!line.empty()) line += separator;
    fmt::format_to(std::back_inserter(line), "{}", number);
  }
  line += '\n';
}

// Writes `head` and then what line_of(i) says for each row.
template <class LineOf>
Result<> write_lines(const ExportPlace& place, const std::string& ending, const std::string& head,
                     std::uint64_t rows, const LineOf& line_of) {
  GODWIT_TRY_ASSIGN(ExportFile file, ExportFile::make(place.disk, place.base + ending));
  GODWIT_TRY(file.add(head));
  for (std::uint64_t i = 0; i < rows; ++i) GODWIT_TRY(file.add(line_of(i)));
  GODWIT_TRY(file.finish());
  place.paths.push_back(place.base + ending);
  return {};
}

std::string word2vec_head(const VectorTable& table) {
  return fmt::format("{} {}\n", table.rows, table.columns.size());
}

}  // namespace

Result<> export_word2vec_text(const ExportPlace& place, const VectorTable& table) {
  return write_lines(place, ".txt", word2vec_head(table), table.rows, [&](std::uint64_t i) {
    std::string line = word_of(table, i);
    add_numbers(line, table.row(i), ' ');
    return line;
  });
}

Result<> export_word2vec_binary(const ExportPlace& place, const VectorTable& table) {
  return write_lines(place, ".bin", word2vec_head(table), table.rows, [&](std::uint64_t i) {
    const auto row = table.row(i);
    std::string line = word_of(table, i) + ' ';
    line.append(reinterpret_cast<const char*>(row.data()), row.size_bytes());
    return line + '\n';
  });
}

Result<> export_csv(const ExportPlace& place, const VectorTable& table) {
  std::string head = table.names.empty() ? "key" : "name";
  for (const std::string& column : table.columns) head += "," + csv_cell(column);
  return write_lines(place, ".csv", head + "\n", table.rows, [&](std::uint64_t i) {
    std::string line = csv_cell(table.name_of(i));
    if (line.empty()) line = "\"\"";
    add_numbers(line, table.row(i), ',');
    return line;
  });
}

Result<> export_projector(const ExportPlace& place, const VectorTable& table) {
  GODWIT_TRY(write_lines(place, ".vectors.tsv", "", table.rows, [&](std::uint64_t i) {
    std::string line;
    add_numbers(line, table.row(i), '\t');
    return line;
  }));
  return write_lines(place, ".metadata.tsv", "", table.rows, [&](std::uint64_t i) {
    return replaced(table.name_of(i), "\t\r\n", ' ') + '\n';
  });
}

}  // namespace godwit
