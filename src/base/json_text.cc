// base/json_text.cc: brackets, commas and escapes.
// Not thread-safe.
#include "base/json_text.h"

#include <fmt/format.h>

#include <cmath>

namespace godwit {

void JsonText::separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}

JsonText& JsonText::begin(char bracket) {
  separate();
  text_ += bracket;
  return *this;
}

JsonText& JsonText::end(char bracket) {
  text_ += bracket;
  return *this;
}

JsonText& JsonText::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

void JsonText::quote(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      text_ += fmt::format("\\u{:04x}", byte);
    } else if (byte > 0x7f) {
      text_ += "\\ufffd";
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  return *this;
}

JsonText& JsonText::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonText& JsonText::value(double number) {
  return raw(std::isfinite(number) ? fmt::format("{:.9g}", number) : "null");
}

}  // namespace godwit
