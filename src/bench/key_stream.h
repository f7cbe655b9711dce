// bench/key_stream.h: the keys a benchmark touches. Pure functions of a seed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "godwit/ids.h"

namespace godwit {

enum class KeyDraw : std::uint8_t { kUniform, kZipf };

std::string_view to_string(KeyDraw draw);

// 0 .. rows-1 in random order.
std::vector<Key> shuffled_keys(std::uint64_t rows, std::uint64_t seed);

// `count` independent keys of 0 .. rows-1: all alike, or the k-th most frequent with a probability
// in proportion to 1/k. The frequent ones are scattered over the table.
std::vector<Key> draw_keys(KeyDraw draw, std::uint64_t rows, std::size_t count, std::uint64_t seed);

}  // namespace godwit
