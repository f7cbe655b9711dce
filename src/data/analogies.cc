// data/analogies.cc: reads questions-words.txt and files like it.
#include "data/analogies.h"

#include <string_view>

#include "base/errors.h"
#include "base/try.h"
#include "data/fields.h"
#include "data/line_reader.h"

namespace godwit {

Result<std::vector<AnalogySection>> read_analogies(const DataFile& file) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open(file));
  FieldSplitter splitter(Separator::kBlanks);
  std::vector<AnalogySection> sections;
  std::string_view line;
  bool any = false;
  for (;;) {
    GODWIT_TRY_ASSIGN(const bool more, reader.next(line));
    if (!more) break;
    if (is_blank(line)) continue;
    if (line.starts_with(':')) {
      sections.push_back({.name = std::string(trimmed(line.substr(1)))});
      continue;
    }
    const auto& words = *splitter.split(line);
    if (words.size() != 4 || sections.empty()) {
      return reader.refuse(line, sections.empty() ? "': section' before the first question"
                                                  : "': section' or 4 words");
    }
    sections.back().questions.push_back(
        {lower_case(words[0]), lower_case(words[1]), lower_case(words[2]), lower_case(words[3])});
    any = true;
  }
  if (!any) return invalid_argument("{}: there are no questions in it", file.text());
  return sections;
}

}  // namespace godwit
