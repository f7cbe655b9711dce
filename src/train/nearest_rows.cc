// train/nearest_rows.cc: one pass over all rows.
#include "train/nearest_rows.h"

#include <algorithm>
#include <cmath>

namespace godwit {
namespace {

double dot(const float* a, const float* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

}  // namespace

std::vector<NearRow> nearest_rows(std::span<const float> rows, std::size_t stride,
                                  std::span<const float> vector, std::size_t count,
                                  std::span<const std::size_t> skipped) {
  const std::size_t n = vector.size();
  const double norm = std::sqrt(dot(vector.data(), vector.data(), n));
  std::vector<NearRow> all;
  for (std::size_t row = 0; row < rows.size() / stride; ++row) {
    if (std::find(skipped.begin(), skipped.end(), row) != skipped.end()) continue;
    const float* const other = &rows[row * stride];
    const double norms = norm * std::sqrt(dot(other, other, n));
    all.push_back({row, norms > 0 ? dot(vector.data(), other, n) / norms : 0});
  }
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    [](const NearRow& a, const NearRow& b) {
                      return a.cosine != b.cosine ? a.cosine > b.cosine : a.row < b.row;
                    });
  all.resize(count);
  return all;
}

}  // namespace godwit
