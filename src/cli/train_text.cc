// cli/train_text.cc: pieces of lines.
#include "cli/train_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "report/progress.h"
#include "report/text_table.h"

namespace godwit {

std::string size_text(std::int64_t nodes, std::int64_t workers, std::int64_t epochs) {
  const auto count = [](std::int64_t number, const char* one) {
    return counted(static_cast<std::uint64_t>(number), one);
  };
  return fmt::format("{} x {}, {}", count(nodes, "node"), count(workers, "worker"),
                     count(epochs, "epoch"));
}

std::string section_text(const RunSection& section) {
  std::string text = section.title + "\n" + section.text;
  const std::string rows = aligned_rows(section.table);
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t end = rows.find('\n', begin) + 1;
    text += "  " + rows.substr(begin, end - begin);
    begin = end;
  }
  return text;
}

std::string end_text(const RunEnd& end) {
  const std::size_t colon = std::min(end.outcome.find(':'), end.outcome.size());
  const std::string why = end.outcome.substr(colon);
  std::string text =
      fmt::format("{} after {}{}", end.outcome.substr(0, colon), duration_text(end.seconds), why);
  if (!end.figures.empty()) text += why.empty() ? ':' : ';';
  for (const auto& [name, value] : end.figures) text += fmt::format("  {} {}", name, value);
  return text;
}

}  // namespace godwit
