// sched/toml_reader.cc: keys, numbers and lists, and what is wrong with them.
#include "sched/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"

namespace godwit {

std::string TomlReader::place(const toml::node& node) const {
  return fmt::format("{}:{}", path, std::max<unsigned>(1, node.source().begin.line));
}

Result<> TomlReader::check_keys(const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) != known.end()) continue;
    return invalid_argument("{}: {} has no key '{}'{}", place(node), what, name,
                            did_you_mean(name, known));
  }
  return {};
}

Result<double> TomlReader::number(const char* key, double low, double high,
                                  std::optional<double> otherwise, const char* hint) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (otherwise) return *otherwise;
    return invalid_argument("{}: {} needs {}", place(table), what, key);
  }
  const std::optional<double> value = node->value<double>();
  if (!value || !node->is_number() || !std::isfinite(*value)) {
    return invalid_argument("{}: {} of {} is no number", place(*node), key, what);
  }
  if (*value < low || *value > high) {
    return invalid_argument("{}: {} of {} is {}, but must be from {} to {}{}", place(*node), key,
                            what, *value, low, high, hint);
  }
  return *value;
}

Result<int> TomlReader::whole(const char* key, int low, int high, std::optional<int> otherwise,
                              const char* hint) const {
  GODWIT_TRY_ASSIGN(const double value, number(key, low, high, otherwise, hint));
  if (value != std::floor(value)) {
    return invalid_argument("{}: {} of {} is {}, but must be a whole number",
                            place(*table.get(key)), key, what, value);
  }
  return static_cast<int>(value);
}

Result<std::string> TomlReader::text(const char* key, const std::string& otherwise) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  if (const auto value = node->value_exact<std::string>()) return *value;
  return invalid_argument("{}: {} of {} is no text", place(*node), key, what);
}

Result<bool> TomlReader::flag(const char* key, bool otherwise) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  if (const auto value = node->value_exact<bool>()) return *value;
  return invalid_argument("{}: {} of {} is neither true nor false", place(*node), key, what);
}

Result<std::vector<std::string>> TomlReader::texts(const char* key) const {
  std::vector<std::string> all;
  const toml::node* node = table.get(key);
  if (node == nullptr) return all;
  if (!node->is_array()) {
    return invalid_argument("{}: {} of {} is no list of texts", place(*node), key, what);
  }
  for (const toml::node& one : *node->as_array()) {
    const auto text = one.value_exact<std::string>();
    if (!text) return invalid_argument("{}: {} of {} holds more than texts", place(one), key, what);
    all.push_back(*text);
  }
  return all;
}

Result<toml::table> parse_toml_text(std::string_view text, const std::string& path) {
  try {
    return toml::table(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return invalid_argument("{}:{}: {}", path, error.source().begin.line, error.description());
  }
}

}  // namespace godwit
