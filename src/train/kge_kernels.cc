// train/kge_kernels.cc: compiled once per instruction set by Highway's foreach_target.
#include "train/kge_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/kge_kernels.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "train/simd_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {

void multiply_add_simd(const float* x, const float* y, std::size_t n, float* out) {
  for_lanes(0, n, [&](auto d, std::size_t i) {
    const auto product = hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    hn::StoreU(hn::Add(hn::LoadU(d, out + i), product), d, out + i);
  });
}

void multiply_add_complex_simd(const float* x, const float* y, bool conjugate_y, std::size_t n,
                               float* out) {
  const float sign = conjugate_y ? -1.0F : 1.0F;
  for_lanes(0, n, [&](auto d, std::size_t i) {
    const auto a = hn::LoadU(d, x + i);
    const auto b = hn::LoadU(d, x + n + i);
    const auto c = hn::LoadU(d, y + i);
    const auto e = hn::Mul(hn::Set(d, sign), hn::LoadU(d, y + n + i));
    const auto real = hn::Sub(hn::Mul(a, c), hn::Mul(b, e));
    const auto imaginary = hn::Add(hn::Mul(a, e), hn::Mul(b, c));
    hn::StoreU(hn::Add(hn::LoadU(d, out + i), real), d, out + i);
    hn::StoreU(hn::Add(hn::LoadU(d, out + n + i), imaginary), d, out + n + i);
  });
}

void add_scaled_simd(const float* x, float factor, std::size_t n, float* out) {
  for_lanes(0, n, [&](auto d, std::size_t i) {
    const auto product = hn::Mul(hn::Set(d, factor), hn::LoadU(d, x + i));
    hn::StoreU(hn::Add(hn::LoadU(d, out + i), product), d, out + i);
  });
}

float add_cubic_simd(const float* x, float weight, std::size_t n, float* gradient) {
  const float sum = sum_lanes(0, n, [&](auto d, std::size_t i) {
    const auto v = hn::LoadU(d, x + i);
    const auto size = hn::Abs(v);
    const auto slope = hn::Mul(hn::Mul(hn::Set(d, 3 * weight), size), v);
    hn::StoreU(hn::Add(hn::LoadU(d, gradient + i), slope), d, gradient + i);
    return hn::Mul(size, hn::Mul(v, v));
  });
  return weight * sum;
}

float add_cubic_complex_simd(const float* x, float weight, std::size_t n, float* gradient) {
  const float sum = sum_lanes(0, n, [&](auto d, std::size_t i) {
    const auto a = hn::LoadU(d, x + i);
    const auto b = hn::LoadU(d, x + n + i);
    const auto square = hn::Add(hn::Mul(a, a), hn::Mul(b, b));
    const auto size = hn::Sqrt(square);
    const auto slope = hn::Mul(hn::Set(d, 3 * weight), size);
    hn::StoreU(hn::Add(hn::LoadU(d, gradient + i), hn::Mul(slope, a)), d, gradient + i);
    hn::StoreU(hn::Add(hn::LoadU(d, gradient + n + i), hn::Mul(slope, b)), d, gradient + n + i);
    return hn::Mul(size, square);
  });
  return weight * sum;
}

float add_square_simd(const float* x, float weight, std::size_t n, float* gradient) {
  const float sum = sum_lanes(0, n, [&](auto d, std::size_t i) {
    const auto v = hn::LoadU(d, x + i);
    const auto slope = hn::Mul(hn::Set(d, 2 * weight), v);
    hn::StoreU(hn::Add(hn::LoadU(d, gradient + i), slope), d, gradient + i);
    return hn::Mul(v, v);
  });
  return weight * sum;
}

HWY_INLINE float greatest(std::span<const float> scores) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  auto most = hn::Set(d, scores[0]);
  std::size_t i = 0;
  for (; i + lanes <= scores.size(); i += lanes) {
    most = hn::Max(most, hn::LoadU(d, scores.data() + i));
  }
  float result = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; i < scores.size(); ++i) result = HWY_MAX(result, scores[i]);
  return result;
}

// Replaces s by weight * exp(s - shift) in [begin, end); their sum comes back.
HWY_INLINE float exp_of(float* s, std::size_t begin, std::size_t end, float shift, float weight) {
  return sum_lanes(begin, end, [&](auto d, std::size_t i) {
    const auto e = hn::Exp(d, hn::Sub(hn::LoadU(d, s + i), hn::Set(d, shift)));
    const auto weighted = hn::Mul(hn::Set(d, weight), e);
    hn::StoreU(weighted, d, s + i);
    return weighted;
  });
}

float softmax_loss_simd(const Candidates& candidates) {
  float* s = candidates.scores.data();
  const std::size_t n = candidates.scores.size();
  const float shift = greatest(candidates.scores);
  const float answer = s[candidates.answer] - shift;
  const float sum = exp_of(s, 0, candidates.own, shift, 1) +
                    exp_of(s, candidates.own, n, shift, candidates.weight);
  const float scale = 1 / sum;
  for_lanes(0, n, [&](auto d, std::size_t i) {
    hn::StoreU(hn::Mul(hn::LoadU(d, s + i), hn::Set(d, scale)), d, s + i);
  });
  const float answer_weight = candidates.answer < candidates.own ? 1.0F : candidates.weight;
  s[candidates.answer] -= 1;
  return std::log(sum / answer_weight) - answer;
}

// weight * log(1 + exp(s + margin)) summed over [begin, end); s becomes its derivative.
HWY_INLINE float softplus_of(float* s, std::size_t begin, std::size_t end, float margin,
                             float weight) {
  return sum_lanes(begin, end, [&](auto d, std::size_t i) {
    const auto x = hn::Add(hn::LoadU(d, s + i), hn::Set(d, margin));
    const auto one = hn::Set(d, 1.0F);
    const auto small = hn::Exp(d, hn::Neg(hn::Abs(x)));  // in (0, 1]: nothing overflows
    const auto share = hn::Div(one, hn::Add(one, small));
    const auto slope = hn::IfThenElse(hn::Ge(x, hn::Zero(d)), share, hn::Mul(small, share));
    hn::StoreU(hn::Mul(hn::Set(d, weight), slope), d, s + i);
    const auto loss = hn::Add(hn::Max(x, hn::Zero(d)), hn::Log1p(d, small));
    return hn::Mul(hn::Set(d, weight), loss);
  });
}

float logistic_loss_simd(const Candidates& candidates, float margin, float negatives) {
  float* s = candidates.scores.data();
  const std::size_t n = candidates.scores.size();
  const std::size_t own = candidates.own;
  const bool answer_own = candidates.answer < own;
  const float answer = s[candidates.answer] + margin;
  const auto others_own = static_cast<float>(own - (answer_own ? 1 : 0));
  const auto others_drawn = static_cast<float>(n - own - (answer_own ? 0 : 1));
  const float weights = others_own + candidates.weight * others_drawn;
  const float scale = weights > 0 ? negatives / weights : 0;
  // The answer is kept out of the loops by a score that adds nothing.
  s[candidates.answer] = -1e30F;
  const float others = softplus_of(s, 0, own, margin, scale) +
                       softplus_of(s, own, n, margin, scale * candidates.weight);
  const float small = std::exp(-std::fabs(answer));
  s[candidates.answer] = -(answer > 0 ? small : 1) / (1 + small);
  return others + (answer > 0 ? 0 : -answer) + std::log1p(small);
}

Above count_above_simd(std::span<const float> scores, float score) {
  Above above;
  for_lanes(0, scores.size(), [&](auto d, std::size_t i) {
    const auto s = hn::LoadU(d, scores.data() + i);
    const auto v = hn::Set(d, score);
    above.greater += hn::CountTrue(d, hn::Gt(s, v));
    above.equal += hn::CountTrue(d, hn::Eq(s, v));
  });
  return above;
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(multiply_add_simd);
HWY_EXPORT(multiply_add_complex_simd);
HWY_EXPORT(add_scaled_simd);
HWY_EXPORT(add_cubic_simd);
HWY_EXPORT(add_cubic_complex_simd);
HWY_EXPORT(add_square_simd);
HWY_EXPORT(softmax_loss_simd);
HWY_EXPORT(logistic_loss_simd);
HWY_EXPORT(count_above_simd);

void multiply_add(const float* x, const float* y, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_add_simd)(x, y, n, out);
}

void multiply_add_complex(const float* x, const float* y, bool conjugate_y, std::size_t n,
                          float* out) {
  HWY_DYNAMIC_DISPATCH(multiply_add_complex_simd)(x, y, conjugate_y, n, out);
}

void add_scaled(const float* x, float factor, std::size_t n, float* out) {
  HWY_DYNAMIC_DISPATCH(add_scaled_simd)(x, factor, n, out);
}

float add_cubic(const float* x, float weight, std::size_t n, float* gradient) {
  return HWY_DYNAMIC_DISPATCH(add_cubic_simd)(x, weight, n, gradient);
}

float add_cubic_complex(const float* x, float weight, std::size_t n, float* gradient) {
  return HWY_DYNAMIC_DISPATCH(add_cubic_complex_simd)(x, weight, n, gradient);
}

float add_square(const float* x, float weight, std::size_t n, float* gradient) {
  return HWY_DYNAMIC_DISPATCH(add_square_simd)(x, weight, n, gradient);
}

float softmax_loss(const Candidates& candidates) {
  return HWY_DYNAMIC_DISPATCH(softmax_loss_simd)(candidates);
}

float logistic_loss(const Candidates& candidates, float margin, float negatives) {
  return HWY_DYNAMIC_DISPATCH(logistic_loss_simd)(candidates, margin, negatives);
}

Above count_above(std::span<const float> scores, float score) {
  return HWY_DYNAMIC_DISPATCH(count_above_simd)(scores, score);
}

}  // namespace godwit
#endif  // HWY_ONCE
