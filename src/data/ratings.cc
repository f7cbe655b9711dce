// data/ratings.cc: sniffs the columns once, on train, and reads every part by them.
#include "data/ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/try.h"
#include "data/fields.h"
#include "data/line_reader.h"
#include "data/name_table.h"

namespace godwit {

namespace {

constexpr std::string_view kExpected = "3 or 4 columns: user, item, rating and maybe time";
constexpr std::size_t kColumnsMax = 64;
constexpr std::size_t kShownRows = 3;

struct Layout {
  Separator separator = Separator::kTab;
  std::size_t columns = 0;
  std::array<std::size_t, 3> at = {0, 1, 2};  // of user, item, rating
  bool header = false;
  std::string names;  // of the columns, for the user
};

// Where the columns are that a header names; nothing unless it names all three, each once.
std::optional<std::array<std::size_t, 3>> named_columns(const std::vector<std::string>& header) {
  constexpr std::array<std::array<std::string_view, 5>, 3> kWords = {{
      {"user", "reviewer", "customer", "userid", "rater"},
      {"item", "movie", "film", "book", "product"},
      {"rating", "score", "stars", "value", "overall"},
  }};
  std::array<std::size_t, 3> at{};
  for (std::size_t what = 0; what < at.size(); ++what) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::string name = lower_case(header[i]);
      const bool fits = std::ranges::any_of(kWords[what], [&](std::string_view word) {
        return name.starts_with(word) || name.ends_with(word);
      });
      if (fits && !found) found = i;
    }
    if (!found) return std::nullopt;
    at[what] = *found;
  }
  if (at[0] == at[1] || at[1] == at[2] || at[0] == at[2]) return std::nullopt;
  return at;
}

Result<Layout> layout_of(const DataFile& file) {
  GODWIT_TRY_ASSIGN(const Sniffed sniffed, sniff(file, 3, kColumnsMax, kExpected));
  Layout layout{.separator = sniffed.separator, .columns = sniffed.columns};
  const std::vector<std::string>& first = sniffed.first[0];
  if (!parse_float(first[2])) {
    if (const auto at = named_columns(first)) {
      layout.at = *at;
      layout.header = true;
    } else {
      // Words that we do not know over numbers are a header too.
      layout.header = sniffed.first.size() > 1 && parse_float(sniffed.first[1][2]).has_value();
    }
  }
  const bool in_order = layout.at == std::array<std::size_t, 3>{0, 1, 2};
  if (sniffed.columns > 4 && in_order && !named_columns(first)) {
    return invalid_argument(
        "{}: expected {}, but the lines have {} columns, as in '{}'; a header "
        "with user, item and rating would say which ones to take",
        file.text(), kExpected, sniffed.columns, shown(fmt::format("{}", fmt::join(first, " "))));
  }
  if (in_order && layout.columns <= 4) {
    layout.names = layout.columns == 4 ? "user, item, rating, time" : "user, item, rating";
  } else {
    layout.names = fmt::format("user is column {}, item {}, rating {}", layout.at[0] + 1,
                               layout.at[1] + 1, layout.at[2] + 1);
  }
  return layout;
}

struct Numbering {
  NameTable rows;
  NameTable columns;
};

Result<std::vector<Rating>> read_part(const DataFile& file, const Layout& layout,
                                      Numbering& numbering, Understood& understood) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  FieldSplitter splitter(layout.separator);
  std::vector<Rating> ratings;
  std::string_view line;
  bool first = true;
  std::uint64_t blank = 0;
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) break;
    if (is_blank(line)) {
      ++blank;
      continue;
    }
    const auto* fields = splitter.split(line);
    if (fields == nullptr || fields->size() != layout.columns) {
      return reader.refuse(line, fmt::format("{} columns separated by {} ({})", layout.columns,
                                             to_string(layout.separator), layout.names));
    }
    const std::string_view row = (*fields)[layout.at[0]];
    const std::string_view column = (*fields)[layout.at[1]];
    const std::string_view text = (*fields)[layout.at[2]];
    const std::optional<float> value = parse_float(text);
    if (std::exchange(first, false) && layout.header && !value) continue;
    if (!value || !std::isfinite(*value)) {
      return reader.refuse(line, fmt::format("a finite number as rating, not '{}'", shown(text)));
    }
    if (row.empty() || column.empty()) return reader.refuse(line, "a user and an item");
    if (ratings.size() < kShownRows) {
      understood.lines.push_back(fmt::format("{}: user '{}', item '{}', rating {}", reader.place(),
                                             shown(row), shown(column), *value));
    }
    ratings.push_back({numbering.rows.number(row), numbering.columns.number(column), *value});
  }
  if (ratings.empty()) return invalid_argument("{}: there are no ratings in it", file.text());
  if (blank > 0) {
    understood.lines.push_back(
        fmt::format("{}: {} left out", file.text(), counted(blank, "blank line")));
  }
  return ratings;
}

std::string summary(const Ratings& ratings) {
  float low = ratings.train[0].value;
  float high = low;
  double sum = 0;
  for (const Rating& rating : ratings.train) {
    low = std::min(low, rating.value);
    high = std::max(high, rating.value);
    sum += double{rating.value};
  }
  return fmt::format(
      "{}; {}, {}; ratings from {} to {}, mean {:.4g}",
      parts_text("ratings", ratings.train.size(), ratings.valid.size(), ratings.test.size()),
      counted(ratings.rows, "user"), counted(ratings.columns, "item"), low, high,
      sum / static_cast<double>(ratings.train.size()));
}

}  // namespace

Result<Ratings> read_ratings(const DataFiles& files) {
  GODWIT_TRY_ASSIGN(const Layout layout, layout_of(files.train));
  Ratings ratings;
  Numbering numbering;
  Understood dropped;
  ratings.understood.lines.push_back(fmt::format(
      "{}: {} columns separated by {}: {}; {}", files.train.text(), layout.columns,
      to_string(layout.separator), layout.names, layout.header ? "with a header" : "no header"));
  GODWIT_TRY_ASSIGN(ratings.train, read_part(files.train, layout, numbering, ratings.understood));
  if (files.valid) {
    GODWIT_TRY_ASSIGN(ratings.valid, read_part(*files.valid, layout, numbering, dropped));
  }
  if (files.test) {
    GODWIT_TRY_ASSIGN(ratings.test, read_part(*files.test, layout, numbering, dropped));
  }
  ratings.row_names = numbering.rows.names();
  ratings.column_names = numbering.columns.names();
  ratings.rows = numbering.rows.size();
  ratings.columns = numbering.columns.size();
  ratings.understood.lines.push_back(summary(ratings));
  return ratings;
}

Result<std::uint64_t> rename_from(const DataFile& file, std::vector<std::string>& names) {
  GODWIT_TRY_ASSIGN(const Sniffed sniffed, sniff(file, 2, kColumnsMax, "a name and a title"));
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  NameTable numbers;
  for (const std::string& name : names) numbers.number(name);
  FieldSplitter splitter(sniffed.separator);
  std::uint64_t found = 0;
  std::string_view line;
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) return found;
    if (is_blank(line)) continue;
    const auto* fields = splitter.split(line);
    if (fields == nullptr || fields->size() < 2) return reader.refuse(line, "a name and a title");
    const auto number = numbers.find((*fields)[0]);
    if (!number || (*fields)[1].empty()) continue;
    names[*number] = (*fields)[1];
    ++found;
  }
}

}  // namespace godwit
