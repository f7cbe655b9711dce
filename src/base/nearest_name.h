// base/nearest_name.h: what somebody who mistyped a name may have meant. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace godwit {

// Inserted, left out, replaced letters and swapped neighbours that turn `a` into `b`; upper and
// lower case are the same letter.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `names` to `name`, or an empty string if none is near: more than a third of the
// longer one would have to change. The first of equally near ones.
std::string nearest_name(std::string_view name, std::span<const std::string> names);

// " (did you mean 'x'?)" or, if none is near, an empty string.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

}  // namespace godwit
