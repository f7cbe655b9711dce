// train/kge_distance.cc: compiled once per instruction set by Highway's foreach_target.
#include "train/kge_distance.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/kge_distance.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "train/simd_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {

// Questions that share each load of a candidate; eight vectors of them fit the registers.
constexpr std::size_t kTogether = 4;
// Candidates whose columns stay in the first cache while groups of questions pass by.
constexpr std::size_t kTile = 32;

template <std::size_t kCount>
HWY_INLINE void l1_scores_group(const float* q, const float* e, std::size_t n, float* scores,
                                std::size_t stride) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d);
  auto s1 = hn::Zero(d);
  auto s2 = hn::Zero(d);
  auto s3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = hn::LoadU(d, e + i);
    s0 = hn::Add(s0, hn::AbsDiff(hn::LoadU(d, q + i), v));
    if constexpr (kCount > 1) {
      s1 = hn::Add(s1, hn::AbsDiff(hn::LoadU(d, q + n + i), v));
      s2 = hn::Add(s2, hn::AbsDiff(hn::LoadU(d, q + 2 * n + i), v));
      s3 = hn::Add(s3, hn::AbsDiff(hn::LoadU(d, q + 3 * n + i), v));
    }
  }
  float sums[kTogether] = {hn::GetLane(hn::SumOfLanes(d, s0)), hn::GetLane(hn::SumOfLanes(d, s1)),
                           hn::GetLane(hn::SumOfLanes(d, s2)), hn::GetLane(hn::SumOfLanes(d, s3))};
  for (std::size_t k = 0; k < kCount; ++k) {
    for (std::size_t j = i; j < n; ++j) sums[k] += std::abs(q[k * n + j] - e[j]);
    scores[k * stride] = -sums[k];
  }
}

void l1_scores_simd(const DistanceShape& shape, const float* q, const float* e, float* scores) {
  const std::size_t n = shape.length;
  for (std::size_t tile = 0; tile < shape.candidates; tile += kTile) {
    const std::size_t end = std::min(tile + kTile, shape.candidates);
    std::size_t i = 0;
    for (; i + kTogether <= shape.questions; i += kTogether) {
      for (std::size_t j = tile; j < end; ++j) {
        l1_scores_group<kTogether>(q + i * n, e + j * n, n, scores + i * shape.candidates + j,
                                   shape.candidates);
      }
    }
    for (; i < shape.questions; ++i) {
      for (std::size_t j = tile; j < end; ++j) {
        l1_scores_group<1>(q + i * n, e + j * n, n, scores + i * shape.candidates + j,
                           shape.candidates);
      }
    }
  }
}

// A score's derivative with respect to e is sign(q - e), and the opposite with respect to q.
template <std::size_t kCount, class D>
HWY_INLINE void l1_gradients_lane(D d, const DistanceShape& shape, std::size_t tile,
                                  std::size_t end, const float* q, const float* e,
                                  const float* slopes, float* dq, float* de) {
  const std::size_t n = shape.length;
  const std::size_t m = shape.candidates;
  const auto load = [&](const float* from, std::size_t k) {
    return hn::LoadU(d, from + (k < kCount ? k : 0) * n);
  };
  const auto q0 = load(q, 0);
  const auto q1 = load(q, 1);
  const auto q2 = load(q, 2);
  const auto q3 = load(q, 3);
  auto d0 = load(dq, 0);
  auto d1 = load(dq, 1);
  auto d2 = load(dq, 2);
  auto d3 = load(dq, 3);
  // slope * sign(difference): the slope's sign is flipped where the difference is negative.
  const auto signed_slope = [&](float slope, auto difference) {
    const auto sign = hn::And(difference, hn::Set(d, -0.0F));
    return hn::Xor(hn::Set(d, slope), sign);
  };
  for (std::size_t j = tile; j < end; ++j) {
    const auto v = hn::LoadU(d, e + j * n);
    auto sum = hn::LoadU(d, de + j * n);
    const auto g0 = signed_slope(slopes[j], hn::Sub(q0, v));
    d0 = hn::Sub(d0, g0);
    sum = hn::Add(sum, g0);
    if constexpr (kCount > 1) {
      const auto g1 = signed_slope(slopes[m + j], hn::Sub(q1, v));
      const auto g2 = signed_slope(slopes[2 * m + j], hn::Sub(q2, v));
      const auto g3 = signed_slope(slopes[3 * m + j], hn::Sub(q3, v));
      d1 = hn::Sub(d1, g1);
      d2 = hn::Sub(d2, g2);
      d3 = hn::Sub(d3, g3);
      sum = hn::Add(sum, hn::Add(g1, hn::Add(g2, g3)));
    }
    hn::StoreU(sum, d, de + j * n);
  }
  hn::StoreU(d0, d, dq);
  if constexpr (kCount > 1) {
    hn::StoreU(d1, d, dq + n);
    hn::StoreU(d2, d, dq + 2 * n);
    hn::StoreU(d3, d, dq + 3 * n);
  }
}

void l1_gradients_simd(const DistanceShape& shape, const float* q, const float* e,
                       const float* slopes, float* dq, float* de) {
  const std::size_t n = shape.length;
  const std::size_t m = shape.candidates;
  for (std::size_t tile = 0; tile < m; tile += kTile) {
    const std::size_t end = std::min(tile + kTile, m);
    std::size_t i = 0;
    for (; i + kTogether <= shape.questions; i += kTogether) {
      for_lanes(0, n, [&](auto d, std::size_t at) {
        l1_gradients_lane<kTogether>(d, shape, tile, end, q + i * n + at, e + at, slopes + i * m,
                                     dq + i * n + at, de + at);
      });
    }
    for (; i < shape.questions; ++i) {
      for_lanes(0, n, [&](auto d, std::size_t at) {
        l1_gradients_lane<1>(d, shape, tile, end, q + i * n + at, e + at, slopes + i * m,
                             dq + i * n + at, de + at);
      });
    }
  }
}

void l2_scores_from_products_simd(float q_square, const float* e_squares, std::size_t candidates,
                                  float* products) {
  for_lanes(0, candidates, [&](auto d, std::size_t i) {
    const auto lengths = hn::Add(hn::Set(d, q_square), hn::LoadU(d, e_squares + i));
    const auto twice = hn::Mul(hn::Set(d, 2.0F), hn::LoadU(d, products + i));
    // The smallest normal number keeps rows of zeros from dividing 0 by 0.
    const auto least = hn::Add(hn::Mul(hn::Set(d, kSquareShareMin), lengths), hn::Set(d, 1e-37F));
    const auto square = hn::Max(hn::Sub(lengths, twice), least);
    hn::StoreU(hn::Neg(hn::Sqrt(square)), d, products + i);
  });
}

float divide_by_distances_simd(const float* scores, std::size_t candidates, float* slopes) {
  return sum_lanes(0, candidates, [&](auto d, std::size_t i) {
    const auto share = hn::Div(hn::LoadU(d, slopes + i), hn::Neg(hn::LoadU(d, scores + i)));
    hn::StoreU(share, d, slopes + i);
    return share;
  });
}

float sum_of_squares_simd(const float* x, std::size_t n) {
  return sum_lanes(0, n, [&](auto d, std::size_t i) {
    const auto v = hn::LoadU(d, x + i);
    return hn::Mul(v, v);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(l1_scores_simd);
HWY_EXPORT(l1_gradients_simd);
HWY_EXPORT(l2_scores_from_products_simd);
HWY_EXPORT(divide_by_distances_simd);
HWY_EXPORT(sum_of_squares_simd);

void l1_scores(const DistanceShape& shape, const float* q, const float* e, float* scores) {
  HWY_DYNAMIC_DISPATCH(l1_scores_simd)(shape, q, e, scores);
}

void l1_gradients(const DistanceShape& shape, const float* q, const float* e, const float* slopes,
                  float* dq, float* de) {
  HWY_DYNAMIC_DISPATCH(l1_gradients_simd)(shape, q, e, slopes, dq, de);
}

void l2_scores_from_products(float q_square, const float* e_squares, std::size_t candidates,
                             float* products) {
  HWY_DYNAMIC_DISPATCH(l2_scores_from_products_simd)(q_square, e_squares, candidates, products);
}

float divide_by_distances(const float* scores, std::size_t candidates, float* slopes) {
  return HWY_DYNAMIC_DISPATCH(divide_by_distances_simd)(scores, candidates, slopes);
}

float sum_of_squares(const float* x, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_of_squares_simd)(x, n);
}

}  // namespace godwit
#endif  // HWY_ONCE
