// base/parse_number.h: numbers from text, whole or not at all.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace godwit {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace godwit
