// report/xml_balance_fixture.h: whether text is well-formed, as far as tags, quotes and escapes go.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

// Empty if it is; else what is wrong. <style> must hold neither '<' nor '&'.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '&') {
      const std::size_t end = text.find(';', at);
      if (end == std::string_view::npos || end - at > 6) return "bare & at " + std::to_string(at);
      at = end + 1;
      continue;
    }
    if (c != '<') {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
        return "control character";
      ++at;
      continue;
    }
    // To the bracket that is not inside quotes.
    std::size_t end = at + 1;
    bool quoted = false;
    for (; end < text.size() && (quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '<') return "'<' inside a tag at " + std::to_string(end);
    }
    if (end == text.size()) return "tag without end";
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with("!DOCTYPE") || tag.ends_with('/')) continue;
    const std::string_view name = tag.substr(0, tag.find_first_of(" \n"));
    if (!name.starts_with('/')) {
      open.emplace_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "unexpected <" + std::string(name) + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

// How often `piece` occurs.
inline int count_of(std::string_view text, std::string_view piece) {
  int count = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos;
       at = text.find(piece, at + piece.size())) {
    ++count;
  }
  return count;
}

}  // namespace godwit
