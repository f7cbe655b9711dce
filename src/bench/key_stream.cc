// bench/key_stream.cc: draws keys.
#include "bench/key_stream.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace godwit {

std::string_view to_string(KeyDraw draw) {
  return draw == KeyDraw::kUniform ? "uniform" : "zipf";
}

std::vector<Key> shuffled_keys(std::uint64_t rows, std::uint64_t seed) {
  std::vector<Key> keys(rows);
  std::iota(keys.begin(), keys.end(), Key{0});
  Prng prng(seed);
  for (std::uint64_t i = rows; i > 1; --i) std::swap(keys[i - 1], keys[prng.below(i)]);
  return keys;
}

ZipfKeys::ZipfKeys(std::uint64_t rows, double exponent, std::uint64_t seed)
    : cumulative_(rows), scattered_(shuffled_keys(rows, seed)) {
  double sum = 0;
  for (std::uint64_t rank = 0; rank < rows; ++rank) {
    sum += std::pow(static_cast<double>(rank + 1), -exponent);
    cumulative_[rank] = sum;
  }
}

Key ZipfKeys::draw(Prng& prng) const {
  const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1,
                                      prng.uniform() * cumulative_.back());
  return scattered_[static_cast<std::size_t>(place - cumulative_.begin())];
}

std::vector<Key> draw_keys(KeyDraw draw, std::uint64_t rows, std::size_t count,
                           std::uint64_t seed) {
  Prng prng(seed);
  std::vector<Key> keys(count);
  if (draw == KeyDraw::kUniform) {
    for (Key& key : keys) key = prng.below(rows);
    return keys;
  }
  const ZipfKeys zipf(rows, 1.0, seed + 1);
  for (Key& key : keys) key = zipf.draw(prng);
  return keys;
}

}  // namespace godwit
