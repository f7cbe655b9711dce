// group/values_fixture.h: floats and bf16 alike, for tests.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/prng.h"
#include "group/tensor_list.h"

namespace godwit {

template <class Value>
ValueType type_of() {
  return std::is_same_v<Value, float> ? ValueType::kF32 : ValueType::kBf16;
}

inline float number(float value) {
  return value;
}
inline float number(std::uint16_t value) {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

// The slow and obvious way; not for NaNs.
template <class Value>
Value rounded(float value) {
  if constexpr (std::is_same_v<Value, float>) {
    return value;
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t below = bits & 0xffff;
    const std::uint32_t upper = bits >> 16;
    const bool up = below > 0x8000 || (below == 0x8000 && upper % 2 == 1);
    return static_cast<std::uint16_t>(upper + (up ? 1 : 0));
  }
}

// Numbers around 1 of both signs, of which no two are alike.
template <class Value>
void draw(Prng& prng, std::vector<Value>& values) {
  for (Value& value : values) {
    value = rounded<Value>(static_cast<float>(prng.below(1U << 20)) * 0x1p-18F - 2);
  }
}

}  // namespace godwit
