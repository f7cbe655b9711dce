// launch/environment.h: environment variables as a value, so that only the command line and
// Session::open() read the real ones. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"

namespace godwit {

using Environment = std::map<std::string, std::string, std::less<>>;

// From the form of `environ`: NAME=value strings, then a null. Entries without '=' are left out; of
// a name given twice the first counts, as for getenv().
Environment parse_environment(const char* const* entries);

// The other way around, sorted by name: {"A=1", "B=2"}.
std::vector<std::string> environment_entries(const Environment& environment);

// The value; nothing if the variable is not set, or is empty.
std::optional<std::string> value_of(const Environment& environment, std::string_view name);

// Like value_of(), as a whole number >= 0. kInvalidArgument, naming the variable and its value, if
// it is anything else.
Result<std::optional<std::int64_t>> number_of(const Environment& environment,
                                              std::string_view name);

// `text` as a whole number in [0, 2^63): digits only.
std::optional<std::int64_t> parse_whole_number(std::string_view text);

}  // namespace godwit
