// sched/linear_fit.cc: normal equations, solved by elimination.
#include "sched/linear_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace godwit {
namespace {

using Matrix = std::vector<std::vector<double>>;

// a x = b; columns without a pivot get 0.
std::vector<double> solve(Matrix a, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<double> x(n, 0);
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    }
    if (std::abs(a[pivot][c]) < 1e-14) {
      for (std::size_t r = 0; r < n; ++r) a[r][c] = a[c][r] = 0;
      a[c][c] = 1;
      b[c] = 0;
      continue;
    }
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    double rest = b[c];
    for (std::size_t k = c + 1; k < n; ++k) rest -= a[c][k] * x[k];
    x[c] = rest / a[c][c];
  }
  return x;
}

}  // namespace

std::vector<double> fit_factors(const Matrix& rows, std::span<const double> targets) {
  GODWIT_CHECK(!rows.empty() && rows.size() == targets.size());
  const std::size_t n = rows[0].size();
  // Columns are scaled to their mean square, so that pivots compare.
  std::vector<double> scales(n, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    GODWIT_CHECK(rows[i].size() == n && targets[i] > 0);
    for (std::size_t c = 0; c < n; ++c) {
      const double value = rows[i][c] / targets[i];
      scales[c] += value * value / static_cast<double>(rows.size());
    }
  }
  for (double& scale : scales) scale = scale > 0 ? std::sqrt(scale) : 1;
  std::vector<char> is_used(n, 1);
  for (;;) {
    Matrix a(n, std::vector<double>(n, 0));
    std::vector<double> b(n, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t r = 0; r < n; ++r) {
        if (is_used[r] == 0) continue;
        const double left = rows[i][r] / targets[i] / scales[r];
        b[r] += left;
        for (std::size_t c = 0; c < n; ++c) {
          if (is_used[c] != 0) a[r][c] += left * rows[i][c] / targets[i] / scales[c];
        }
      }
    }
    std::vector<double> factors = solve(a, b);
    const auto lowest = std::ranges::min_element(factors);
    if (*lowest >= 0) {
      for (std::size_t c = 0; c < n; ++c) factors[c] /= scales[c];
      return factors;
    }
    is_used[static_cast<std::size_t>(lowest - factors.begin())] = 0;
  }
}

}  // namespace godwit
