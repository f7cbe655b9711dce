// data/sparse_rows.cc: parses LIBSVM lines in place.
#include "data/sparse_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "data/fields.h"
#include "data/line_reader.h"

namespace godwit {

namespace {

constexpr std::string_view kExpected = "a label and then feature:value with rising features";
constexpr std::size_t kShownRows = 3;
// One less than would make 1 + the largest overflow.
constexpr std::uint64_t kFeatureMax = UINT64_MAX - 1;

std::string_view next_word(std::string_view& rest) {
  constexpr std::string_view kBlankLetters = " \t";
  const std::size_t begin = std::min(rest.find_first_not_of(kBlankLetters), rest.size());
  const std::size_t end = std::min(rest.find_first_of(kBlankLetters, begin), rest.size());
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

// Appends the entries and gives the label; nothing if the line is malformed.
std::optional<float> parse_row(std::string_view line, SparseRows& rows) {
  const std::optional<float> label = parse_float(next_word(line));
  if (!label || !std::isfinite(*label)) return std::nullopt;
  const std::size_t begin = rows.features.size();
  for (;;) {
    const std::string_view word = next_word(line);
    if (word.empty()) return label;
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto feature = parse_number<std::uint64_t>(word.substr(0, colon));
    const auto value = parse_float(word.substr(colon + 1));
    if (!feature || *feature > kFeatureMax || !value || !std::isfinite(*value)) return std::nullopt;
    if (rows.features.size() > begin && rows.features.back() >= *feature) return std::nullopt;
    rows.features.push_back(*feature);
    rows.values.push_back(*value);
  }
}

std::string shown_row(const SparseRows& rows, std::size_t row) {
  constexpr std::uint64_t kShownEntries = 5;
  std::string text = fmt::format("label {}", rows.labels[row]);
  const std::uint64_t begin = rows.begins[row];
  const std::uint64_t end = rows.begins[row + 1];
  for (std::uint64_t i = begin; i < std::min(end, begin + kShownEntries); ++i) {
    text += fmt::format(", feature {} = {}", rows.features[i], rows.values[i]);
  }
  if (end > begin + kShownEntries) {
    text += fmt::format(" and {} more", end - begin - kShownEntries);
  }
  return text;
}

Result<SparseRows> read_part(const DataFile& file) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  SparseRows rows;
  std::string_view line;
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) break;
    const std::string_view content = line.substr(0, std::min(line.find('#'), line.size()));
    if (is_blank(content)) continue;
    const std::optional<float> label = parse_row(content, rows);
    if (!label) return reader.refuse(line, kExpected);
    rows.end_row(*label);
  }
  if (rows.size() == 0)
    return invalid_argument("'{}' is empty: expected {}", file.text(), kExpected);
  return rows;
}

void take_in(const SparseRows& rows, SparseSet& set) {
  for (const std::uint64_t feature : rows.features) {
    set.features = std::max(set.features, feature + 1);
  }
  set.binary = set.binary && std::ranges::all_of(rows.labels, [](float label) {
                 return label == -1 || label == 0 || label == 1;
               });
}

}  // namespace

Result<SparseSet> read_sparse(const DataFiles& files) {
  SparseSet set;
  GODWIT_TRY_ASSIGN(set.train, read_part(files.train));
  if (files.valid) {
    GODWIT_TRY_ASSIGN(set.valid, read_part(*files.valid));
  }
  if (files.test) {
    GODWIT_TRY_ASSIGN(set.test, read_part(*files.test));
  }
  set.binary = true;
  take_in(set.train, set);
  take_in(set.valid, set);
  take_in(set.test, set);
  std::vector<std::string>& lines = set.understood.lines;
  lines.push_back(fmt::format("{}: rows 'label feature:value ...' (LIBSVM)", files.train.text()));
  for (std::size_t i = 0; i < std::min(kShownRows, set.train.size()); ++i) {
    lines.push_back(fmt::format("row {}: {}", i + 1, shown_row(set.train, i)));
  }
  const auto positive = std::ranges::count_if(set.train.labels, [](float x) { return x > 0; });
  lines.push_back(fmt::format(
      "{}; features up to {}; {:.1f} entries a row; {}",
      parts_text("rows", set.train.size(), set.valid.size(), set.test.size()),
      with_commas(set.features - (set.features > 0 ? 1 : 0)),
      static_cast<double>(set.train.features.size()) / static_cast<double>(set.train.size()),
      set.binary
          ? fmt::format("two classes, {:.1f} % positive", 100.0 * static_cast<double>(positive) /
                                                              static_cast<double>(set.train.size()))
          : std::string("labels are numbers")));
  return set;
}

}  // namespace godwit
