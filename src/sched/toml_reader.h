// sched/toml_reader.h: a table of a TOML file with what is needed to complain about it.
// Only for the few files that read TOML: it brings toml++ with it. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "godwit/result.h"

namespace godwit {

struct TomlReader {
  const toml::table& table;
  const std::string& path;  // of the file
  std::string what;         // "job 'a'"

  // "path:line" of a node of the file.
  std::string place(const toml::node& node) const;

  // All of the below fail with kInvalidArgument that begins with a place.
  // With the nearest of `known` if there is another key.
  Result<> check_keys(const std::vector<std::string>& known) const;
  // The default, if there is one, when the key is missing.
  Result<double> number(const char* key, double low, double high,
                        std::optional<double> otherwise = std::nullopt,
                        const char* hint = "") const;
  // As number(); what has a fraction is refused.
  Result<int> whole(const char* key, int low, int high, std::optional<int> otherwise = std::nullopt,
                    const char* hint = "") const;
  Result<bool> flag(const char* key, bool otherwise) const;
  Result<std::string> text(const char* key, const std::string& otherwise) const;
  // Empty if the key is missing.
  Result<std::vector<std::string>> texts(const char* key) const;
};

// Of the whole text; kInvalidArgument with path and line if it is no TOML.
Result<toml::table> parse_toml_text(std::string_view text, const std::string& path);

}  // namespace godwit
