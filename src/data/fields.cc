// data/fields.cc: separators are tried in a fixed order; the one that fits most lines wins.
#include "data/fields.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "data/line_reader.h"

namespace godwit {

namespace {

constexpr std::size_t kSampleLines = 20;
constexpr std::string_view kBlankLetters = " \t\r\v\f";
// What cannot be part of a name comes first.
constexpr std::array kSeparators = {Separator::kTab, Separator::kDoubleColon, Separator::kComma,
                                    Separator::kSemicolon, Separator::kBlanks};

void split_at(std::string_view line, std::string_view separator,
              std::vector<std::string_view>& fields) {
  for (;;) {
    const std::size_t end = line.find(separator);
    if (end == std::string_view::npos) break;
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end + separator.size());
  }
  fields.push_back(line);
}

void split_at_blanks(std::string_view line, std::vector<std::string_view>& fields) {
  std::size_t at = line.find_first_not_of(kBlankLetters);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlankLetters, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlankLetters, end);
  }
}

}  // namespace

std::string_view to_string(Separator separator) {
  switch (separator) {
    case Separator::kTab:
      return "tabs";
    case Separator::kDoubleColon:
      return "'::'";
    case Separator::kComma:
      return "','";
    case Separator::kSemicolon:
      return "';'";
    case Separator::kBlanks:
      return "blanks";
  }
  return "?";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlankLetters);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlankLetters) - begin + 1);
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kBlankLetters) == std::string_view::npos;
}

const std::vector<std::string_view>* FieldSplitter::split(std::string_view line) {
  fields_.clear();
  switch (separator_) {
    case Separator::kTab:
      split_at(line, "\t", fields_);
      return &fields_;
    case Separator::kDoubleColon:
      split_at(line, "::", fields_);
      return &fields_;
    case Separator::kBlanks:
      split_at_blanks(line, fields_);
      return &fields_;
    case Separator::kComma:
    case Separator::kSemicolon:
      break;
  }
  const char separator = separator_ == Separator::kComma ? ',' : ';';
  if (line.find('"') != std::string_view::npos) {
    return split_quoted(line, separator) ? &fields_ : nullptr;
  }
  split_at(line, std::string_view(&separator, 1), fields_);
  for (std::string_view& field : fields_) field = trimmed(field);
  return &fields_;
}

bool FieldSplitter::split_quoted(std::string_view line, char separator) {
  unquoted_.clear();
  unquoted_.reserve(line.size());  // fields point into it: it must not move
  for (;;) {
    const std::size_t begin = std::min(line.find_first_not_of(kBlankLetters), line.size());
    line.remove_prefix(begin);
    if (!line.starts_with('"')) {
      const std::size_t end = std::min(line.find(separator), line.size());
      fields_.push_back(trimmed(line.substr(0, end)));
      line.remove_prefix(end);
    } else {
      const std::size_t start = unquoted_.size();
      std::size_t at = 1;
      for (;; ++at) {
        if (at >= line.size()) return false;
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        unquoted_ += line[at];
      }
      fields_.push_back(std::string_view(unquoted_).substr(start));
      line.remove_prefix(at + 1);
      line.remove_prefix(std::min(line.find_first_not_of(kBlankLetters), line.size()));
    }
    if (line.empty()) return true;
    if (line[0] != separator) return false;
    line.remove_prefix(1);
  }
}

Result<Sniffed> sniff(const DataFile& file, std::size_t columns_min, std::size_t columns_max,
                      std::string_view expected) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  std::vector<std::string> lines;
  std::string place;
  std::string_view line;
  while (lines.size() < kSampleLines) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) break;
    if (is_blank(line)) continue;
    if (lines.empty()) place = reader.place();
    lines.emplace_back(line);
  }
  if (lines.empty()) return invalid_argument("'{}' is empty: expected {}", file.text(), expected);

  Sniffed best;
  std::size_t best_lines = 0;
  for (const Separator separator : kSeparators) {
    FieldSplitter splitter(separator);
    std::map<std::size_t, std::size_t> lines_with;
    for (const std::string& text : lines) {
      const auto* fields = splitter.split(text);
      if (fields != nullptr) ++lines_with[fields->size()];
    }
    for (const auto& [columns, count] : lines_with) {
      if (columns < columns_min || columns > columns_max || count <= best_lines) continue;
      best = {.separator = separator, .columns = columns};
      best_lines = count;
    }
  }
  if (best_lines == 0) {
    return invalid_argument(
        "{}: expected {}, separated by tabs, '::', ',', ';' or blanks, but the line is '{}'", place,
        expected, shown(lines[0]));
  }
  FieldSplitter splitter(best.separator);
  for (const std::string& text : lines) {
    const auto* fields = splitter.split(text);
    if (fields == nullptr || fields->size() != best.columns) continue;
    best.first.emplace_back(fields->begin(), fields->end());
  }
  return best;
}

std::optional<float> parse_float(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return parse_number<float>(text);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

}  // namespace godwit
