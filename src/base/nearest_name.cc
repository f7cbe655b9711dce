// base/nearest_name.cc: edit distance by rows of the usual table.
#include "base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace godwit {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // two rows above, for swaps
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string> names) {
  std::string best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : names) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t distance = edit_distance(name, candidate);
    if (distance * 3 > longer + 2) continue;
    if (best.empty() || distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? nearest : " (did you mean '" + nearest + "'?)";
}

}  // namespace godwit
