// train/mf_kernels.cc: compiled once per instruction set by Highway's foreach_target.
#include "train/mf_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/mf_kernels.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums of a row's gradients begin here, so that the first step is not infinite; in units of the
// ratings' variance, which is 1.
constexpr float kFirstSquares = 1.0F;
constexpr std::size_t kAhead = 6;  // ratings; found by measurement, 4 to 8 are alike

HWY_INLINE void prefetch_row(const float* row, std::size_t length) {
  for (std::size_t i = 0; i < length; i += 16) __builtin_prefetch(row + i, 1);
}

HWY_INLINE float dot(const float* a, const float* b, std::size_t n) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), sum1);
  }
  for (; i + lanes <= n; i += lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
  }
  float rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1))) + rest;
}

struct Steps {
  float row;
  float column;
};

// Both rows' factors, one step each against the gradient. Returns the gradients' mean squares.
HWY_INLINE Steps step_factors(float* p, float* q, std::size_t n, float error, float penalty,
                              const Steps& rates) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto verror = hn::Set(d, error);
  const auto vpenalty = hn::Set(d, penalty);
  const auto vrow = hn::Set(d, rates.row);
  const auto vcolumn = hn::Set(d, rates.column);
  auto row_squares = hn::Zero(d);
  auto column_squares = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto vp = hn::LoadU(d, p + i);
    const auto vq = hn::LoadU(d, q + i);
    const auto gp = hn::MulSub(verror, vq, hn::Mul(vpenalty, vp));
    const auto gq = hn::MulSub(verror, vp, hn::Mul(vpenalty, vq));
    row_squares = hn::MulAdd(gp, gp, row_squares);
    column_squares = hn::MulAdd(gq, gq, column_squares);
    hn::StoreU(hn::MulAdd(vrow, gp, vp), d, p + i);
    hn::StoreU(hn::MulAdd(vcolumn, gq, vq), d, q + i);
  }
  Steps squares{hn::GetLane(hn::SumOfLanes(d, row_squares)),
                hn::GetLane(hn::SumOfLanes(d, column_squares))};
  for (; i < n; ++i) {
    const float gp = error * q[i] - penalty * p[i];
    const float gq = error * p[i] - penalty * q[i];
    squares.row += gp * gp;
    squares.column += gq * gq;
    p[i] += rates.row * gp;
    q[i] += rates.column * gq;
  }
  const float share = 1.0F / static_cast<float>(n);
  return {squares.row * share, squares.column * share};
}

HWY_INLINE void step_bias(float& bias, float& squares, float error, const MfStep& step) {
  const float gradient = error - step.bias_penalty * bias;
  const float rate = step.learning_rate / std::sqrt(kFirstSquares + squares);
  squares += gradient * gradient;
  bias += rate * gradient;
}

double learn_ratings_simd(std::span<const BlockRating> ratings, float* const* rows,
                          float* const* columns, const MfLayout& layout, const MfStep& step) {
  const std::size_t rank = layout.rank;
  double squares = 0;
  for (std::size_t i = 0; i < ratings.size(); ++i) {
    if (i + kAhead < ratings.size()) {
      prefetch_row(columns[ratings[i + kAhead].column], layout.length());
      prefetch_row(rows[ratings[i + kAhead].row], layout.length());
    }
    const BlockRating& rating = ratings[i];
    float* const p = rows[rating.row];
    float* const q = columns[rating.column];
    float& row_sum = p[layout.squares()];
    float& column_sum = q[layout.squares()];
    const Steps rates{step.learning_rate / std::sqrt(kFirstSquares + row_sum),
                      step.learning_rate / std::sqrt(kFirstSquares + column_sum)};
    float& row_bias = p[layout.bias()];
    float& column_bias = q[layout.bias()];
    const float error = rating.value - (dot(p, q, rank) + row_bias + column_bias);
    squares += double{error} * double{error};
    const Steps grown = step_factors(p, q, rank, error, step.penalty, rates);
    row_sum += grown.row;
    column_sum += grown.column;
    if (!step.learns_biases) continue;
    step_bias(row_bias, p[layout.bias_squares()], error, step);
    step_bias(column_bias, q[layout.bias_squares()], error, step);
  }
  return squares;
}

float predict_rating_simd(const float* row, const float* column, const MfLayout& layout) {
  return dot(row, column, layout.rank) + row[layout.bias()] + column[layout.bias()];
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(learn_ratings_simd);
HWY_EXPORT(predict_rating_simd);

double learn_ratings(std::span<const BlockRating> ratings, float* const* rows,
                     float* const* columns, const MfLayout& layout, const MfStep& step) {
  return HWY_DYNAMIC_DISPATCH(learn_ratings_simd)(ratings, rows, columns, layout, step);
}

float predict_rating(const float* row, const float* column, const MfLayout& layout) {
  return HWY_DYNAMIC_DISPATCH(predict_rating_simd)(row, column, layout);
}

}  // namespace godwit
#endif  // HWY_ONCE
