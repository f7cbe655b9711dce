// base/number_text.h: counts as people write them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace godwit {

// 12345678 as "12,345,678".
std::string with_commas(std::uint64_t number);

// "1 node", "2 nodes", "117,659 documents"; `many` for words that need more than an 's'.
std::string counted(std::uint64_t number, std::string_view one);
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace godwit
