// bench/key_stream.h: the keys a benchmark touches. Pure functions of a seed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"

namespace godwit {

enum class KeyDraw : std::uint8_t { kUniform, kZipf };

std::string_view to_string(KeyDraw draw);

// 0 .. rows-1 in random order.
std::vector<Key> shuffled_keys(std::uint64_t rows, std::uint64_t seed);

// Keys of 0 .. rows-1, the k-th most frequent with a probability in proportion to 1/k^exponent. The
// frequent ones are scattered over the table, in an order that the seed gives. Thread-safe.
class ZipfKeys {
 public:
  // REQUIRES: rows > 0.
  ZipfKeys(std::uint64_t rows, double exponent, std::uint64_t seed);

  Key draw(Prng& prng) const;

 private:
  std::vector<double> cumulative_;  // by rank
  std::vector<Key> scattered_;
};

// `count` independent keys of 0 .. rows-1: all alike, or the k-th most frequent with a probability
// in proportion to 1/k.
std::vector<Key> draw_keys(KeyDraw draw, std::uint64_t rows, std::size_t count, std::uint64_t seed);

}  // namespace godwit
