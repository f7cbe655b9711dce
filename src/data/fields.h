// data/fields.h: how a line falls into columns, found out by looking at the first lines.
// A FieldSplitter is owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/data_files.h"
#include "godwit/result.h"

namespace godwit {

enum class Separator { kTab, kDoubleColon, kComma, kSemicolon, kBlanks };

// "tabs", "'::'", ...
std::string_view to_string(Separator separator);

class FieldSplitter {
 public:
  explicit FieldSplitter(Separator separator) : separator_(separator) {}

  // Valid until the next call or the end of `line`. With ',' and ';' blanks around a field are left
  // out, and a field may stand in "quotes", with "" for one of them. Nothing if a quote is open at
  // the end, or something follows after a closing one.
  const std::vector<std::string_view>* split(std::string_view line);

 private:
  bool split_quoted(std::string_view line, char separator);

  Separator separator_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // fields with "" inside
};

struct Sniffed {
  Separator separator = Separator::kTab;
  std::size_t columns = 0;                      // of most of the first lines
  std::vector<std::vector<std::string>> first;  // up to 20 lines, those with that many columns
};

// The separator that gives most of the first lines the same number of columns, between
// `columns_min` and `columns_max`. kInvalidArgument: the file has no line that is not blank, or no
// separator does (shows the line and says `expected`); errors of LineReader.
Result<Sniffed> sniff(const DataFile& file, std::size_t columns_min, std::size_t columns_max,
                      std::string_view expected);

// Blanks only.
bool is_blank(std::string_view line);
std::string_view trimmed(std::string_view text);

// A float written in decimal, with an optional '+'; infinities and NaN too, for the caller to
// refuse. Nothing if it is no number or one too large for a float.
std::optional<float> parse_float(std::string_view text);

// Letters A to Z only; others stay.
std::string lower_case(std::string_view text);

}  // namespace godwit
