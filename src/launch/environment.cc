// launch/environment.cc: from `environ` to a map and back.
#include "launch/environment.h"

#include <fmt/format.h>

#include <charconv>

#include "base/errors.h"

namespace godwit {

Environment parse_environment(const char* const* entries) {
  Environment environment;
  for (; *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

std::vector<std::string> environment_entries(const Environment& environment) {
  std::vector<std::string> entries;
  entries.reserve(environment.size());
  for (const auto& [name, value] : environment)
    entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

std::optional<std::string> value_of(const Environment& environment, std::string_view name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

Result<std::optional<std::int64_t>> number_of(const Environment& environment,
                                              std::string_view name) {
  const auto text = value_of(environment, name);
  if (!text) return std::optional<std::int64_t>();
  const auto number = parse_whole_number(*text);
  if (!number) return invalid_argument("{} is '{}', not a whole number >= 0", name, *text);
  return number;
}

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < 0 || text[0] == '-') return std::nullopt;
  return number;
}

}  // namespace godwit
