// base/nearest_name.cc: dynamic programming over prefixes.
#include "base/nearest_name.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace godwit {

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> two_before;
  std::vector<std::size_t> before(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    std::vector<std::size_t> row(other.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t replaced = before[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        row[j] = std::min(row[j], two_before[j - 2] + 1);
      }
    }
    two_before = std::move(before);
    before = std::move(row);
  }
  return before[other.size()];
}

const std::string& nearest_name(std::string_view name, std::span<const std::string> names) {
  GODWIT_CHECK(!names.empty());
  return *std::min_element(names.begin(), names.end(), [&](const auto& one, const auto& other) {
    return edit_distance(name, one) < edit_distance(name, other);
  });
}

}  // namespace godwit
