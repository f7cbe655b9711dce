// base/nearest_name.h: which of the known names somebody meant. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace godwit {

// Letters to insert, remove, replace or swap with their neighbour to make one of the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The one with the least distance, the first of several. REQUIRES: there are names.
const std::string& nearest_name(std::string_view name, std::span<const std::string> names);

}  // namespace godwit
