// bench/key_stream.cc: draws keys.
#include "bench/key_stream.h"

#include <algorithm>
#include <numeric>

#include "base/prng.h"

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

std::vector<Key> draw_keys(KeyDraw draw, std::uint64_t rows, std::size_t count,
                           std::uint64_t seed) {
  Prng prng(seed);
  std::vector<Key> keys(count);
  if (draw == KeyDraw::kUniform) {
    for (Key& key : keys) key = prng.below(rows);
    return keys;
  }
  std::vector<double> cumulative(rows);
  double sum = 0;
  for (std::uint64_t rank = 0; rank < rows; ++rank) {
    sum += 1.0 / static_cast<double>(rank + 1);
    cumulative[rank] = sum;
  }
  const std::vector<Key> scattered = shuffled_keys(rows, seed + 1);
  for (Key& key : keys) {
    const auto place =
        std::upper_bound(cumulative.begin(), cumulative.end() - 1, prng.uniform() * sum);
    key = scattered[static_cast<std::size_t>(place - cumulative.begin())];
  }
  return keys;
}

}  // namespace godwit
