// base/json_text.h: writes one JSON value as one line of text, for those who need no JSON library.
// Not thread-safe.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace godwit {

// Pieces in the order of the text; commas come by themselves. REQUIRES: objects and arrays are
// ended, and in an object each value has its key.
class JsonText {
 public:
  JsonText& begin_object() { return begin('{'); }
  JsonText& end_object() { return end('}'); }
  JsonText& begin_array() { return begin('['); }
  JsonText& end_array() { return end(']'); }
  JsonText& key(std::string_view name);

  // Bytes that are not ASCII are replaced, so that any text gives valid JSON.
  JsonText& value(std::string_view text);
  JsonText& value(const char* text) { return value(std::string_view(text)); }
  JsonText& value(const std::string& text) { return value(std::string_view(text)); }
  // null if it is not finite.
  JsonText& value(double number);
  template <std::integral Number>
  JsonText& value(Number number) {
    if constexpr (std::same_as<Number, bool>) return raw(number ? "true" : "false");
    return raw(std::to_string(number));
  }

  template <class Value>
  JsonText& field(std::string_view name, const Value& of) {
    return key(name).value(of);
  }

  std::string take() { return std::exchange(text_, {}); }

 private:
  JsonText& begin(char bracket);
  JsonText& end(char bracket);
  JsonText& raw(std::string_view text);
  void separate();
  void quote(std::string_view text);

  std::string text_;
};

}  // namespace godwit
