// store/row_kernels.cc: compiled once per instruction set by Highway's foreach_target.
#include "store/row_kernels.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "store/row_kernels.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>;

// Calls op(tag, i) for whole vectors of floats, then for single ones: [0, n) exactly once.
template <class Op>
HWY_INLINE void for_lanes(std::size_t n, Op&& op) {
  const Wide wide;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) op(wide, i);
  for (; i < n; ++i) op(One(), i);
}

// Lines of a row asked for ahead; the hardware's own prefetcher follows on longer rows.
constexpr std::size_t kLinesAhead = 16;

template <bool kWrite>
HWY_INLINE void prefetch_row(const RowRef& ref, std::size_t row_bytes) {
  const char* line = reinterpret_cast<const char*>(ref.row);
  const std::size_t lines = HWY_MIN((row_bytes + kCacheLineSize - 1) / kCacheLineSize, kLinesAhead);
  for (std::size_t i = 0; i < lines; ++i) {
    __builtin_prefetch(line + i * kCacheLineSize, kWrite ? 1 : 0);
  }
  __builtin_prefetch(ref.anchor, 1);
}

// How many rows ahead to prefetch: enough to cover the memory's latency, few enough to stay in
// L1. Measured on Zen 4 for 64-byte and 256-byte rows.
HWY_INLINE std::size_t prefetch_distance(std::size_t row_bytes) {
  return row_bytes <= 2 * kCacheLineSize ? 32 : row_bytes <= 8 * kCacheLineSize ? 12 : 4;
}

// op(i, row) for each row under its lock. `touched_bytes` of a row are asked for ahead.
template <bool kWrite, class Op>
HWY_INLINE std::size_t for_rows(std::span<const RowRef> rows, std::size_t begin,
                                std::size_t touched_bytes, Op&& op) {
  const std::size_t n = rows.size();
  const std::size_t ahead = prefetch_distance(touched_bytes);
  for (std::size_t i = begin; i < HWY_MIN(n, begin + ahead); ++i) {
    prefetch_row<kWrite>(rows[i], touched_bytes);
  }
  for (std::size_t i = begin; i < n; ++i) {
    if (i + ahead < n) prefetch_row<kWrite>(rows[i + ahead], touched_bytes);
    const RowRef& ref = rows[i];
    if (HWY_UNLIKELY(ref.row == nullptr)) return i;
    if (HWY_UNLIKELY(!ref.anchor->try_lock(ref.word))) {
      if (!ref.anchor->lock(ref.word)) return i;
    }
    op(i, ref.row);
    ref.anchor->unlock(ref.word);
  }
  return n;
}

HWY_INLINE void copy_floats(const float* from, float* to, std::size_t n) {
  for_lanes(n, [&](auto d, std::size_t i) { hn::StoreU(hn::LoadU(d, from + i), d, to + i); });
}

std::size_t copy_rows_out_simd(std::span<const RowRef> rows, std::size_t begin,
                               const RowLayout& layout, float* out) {
  const std::size_t n = layout.value_length;
  return for_rows<false>(rows, begin, n * sizeof(float), [=](std::size_t i, const float* row) {
    copy_floats(row, out + i * n, n);
  });
}

std::size_t copy_rows_in_simd(std::span<const RowRef> rows, std::size_t begin,
                              const RowLayout& layout, const float* values, bool reset_state) {
  const std::size_t n = layout.value_length;
  const std::size_t state = reset_state ? layout.state_length : 0;
  const std::size_t touched = (n + state) * sizeof(float);
  return for_rows<true>(rows, begin, touched, [=](std::size_t i, float* row) {
    copy_floats(values + i * n, row, n);
    for_lanes(state, [&](auto d, std::size_t j) { hn::StoreU(hn::Zero(d), d, row + n + j); });
  });
}

struct AddKernel {
  explicit AddKernel(const Rule&) {}
  HWY_INLINE void operator()(float* row, const float* gradient, std::size_t n) const {
    for_lanes(n, [&](auto d, std::size_t i) {
      hn::StoreU(hn::Add(hn::LoadU(d, row + i), hn::LoadU(d, gradient + i)), d, row + i);
    });
  }
};

struct SgdKernel {
  explicit SgdKernel(const Rule& rule) : rate(rule.learning_rate) {}
  HWY_INLINE void operator()(float* row, const float* gradient, std::size_t n) const {
    for_lanes(n, [&](auto d, std::size_t i) {
      const auto step = hn::Mul(hn::Set(d, rate), hn::LoadU(d, gradient + i));
      hn::StoreU(hn::Sub(hn::LoadU(d, row + i), step), d, row + i);
    });
  }
  float rate;
};

struct MomentumKernel {
  explicit MomentumKernel(const Rule& rule) : rate(rule.learning_rate), mu(rule.mu) {}
  HWY_INLINE void operator()(float* row, const float* gradient, std::size_t n) const {
    float* moment = row + n;
    for_lanes(n, [&](auto d, std::size_t i) {
      const auto decayed = hn::Mul(hn::Set(d, mu), hn::LoadU(d, moment + i));
      const auto m = hn::Add(decayed, hn::LoadU(d, gradient + i));
      hn::StoreU(m, d, moment + i);
      hn::StoreU(hn::Sub(hn::LoadU(d, row + i), hn::Mul(hn::Set(d, rate), m)), d, row + i);
    });
  }
  float rate;
  float mu;
};

struct AdagradKernel {
  explicit AdagradKernel(const Rule& rule) : rate(rule.learning_rate), epsilon(rule.epsilon) {}
  HWY_INLINE void operator()(float* row, const float* gradient, std::size_t n) const {
    float* squares = row + n;
    for_lanes(n, [&](auto d, std::size_t i) {
      const auto g = hn::LoadU(d, gradient + i);
      const auto a = hn::Add(hn::LoadU(d, squares + i), hn::Mul(g, g));
      hn::StoreU(a, d, squares + i);
      const auto divisor = hn::Add(hn::Sqrt(a), hn::Set(d, epsilon));
      // An all-zero history with epsilon 0 would divide 0 by 0; such a row does not move.
      const auto step = hn::Div(hn::Mul(hn::Set(d, rate), g), divisor);
      const auto safe = hn::IfThenElseZero(hn::Gt(divisor, hn::Zero(d)), step);
      hn::StoreU(hn::Sub(hn::LoadU(d, row + i), safe), d, row + i);
    });
  }
  float rate;
  float epsilon;
};

struct AdamKernel {
  explicit AdamKernel(const Rule& r) : rule(r) {}
  HWY_INLINE void operator()(float* row, const float* gradient, std::size_t n) const {
    float* first = row + n;
    float* second = row + 2 * n;
    float& steps = row[3 * n];
    steps = HWY_MIN(steps + 1, 0x1p24F);  // a float counts no further; the correction is 1 by then
    const float correct1 = 1 / (1 - std::pow(rule.beta1, steps));
    const float correct2 = 1 / (1 - std::pow(rule.beta2, steps));
    for_lanes(n, [&](auto d, std::size_t i) {
      const auto g = hn::LoadU(d, gradient + i);
      const auto m = blend(d, rule.beta1, hn::LoadU(d, first + i), g);
      const auto v = blend(d, rule.beta2, hn::LoadU(d, second + i), hn::Mul(g, g));
      hn::StoreU(m, d, first + i);
      hn::StoreU(v, d, second + i);
      const auto root = hn::Sqrt(hn::Mul(v, hn::Set(d, correct2)));
      const auto divisor = hn::Add(root, hn::Set(d, rule.epsilon));
      const auto step = hn::Div(hn::Mul(m, hn::Set(d, rule.learning_rate * correct1)), divisor);
      const auto safe = hn::IfThenElseZero(hn::Gt(divisor, hn::Zero(d)), step);
      hn::StoreU(hn::Sub(hn::LoadU(d, row + i), safe), d, row + i);
    });
  }
  template <class D, class V>
  static HWY_INLINE V blend(D d, float beta, V old, V fresh) {
    return hn::Add(hn::Mul(hn::Set(d, beta), old), hn::Mul(hn::Set(d, 1 - beta), fresh));
  }
  Rule rule;
};

struct ElasticKernel {
  explicit ElasticKernel(const Rule& rule) : rate(rule.learning_rate) {}
  HWY_INLINE void operator()(float* row, const float* other, std::size_t n) const {
    for_lanes(n, [&](auto d, std::size_t i) {
      const auto v = hn::LoadU(d, row + i);
      const auto step = hn::Mul(hn::Set(d, rate), hn::Sub(hn::LoadU(d, other + i), v));
      hn::StoreU(hn::Add(v, step), d, row + i);
    });
  }
  float rate;
};

struct OuterKernel {
  explicit OuterKernel(const Rule& rule) : rate(rule.learning_rate), mu(rule.mu) {}
  HWY_INLINE void operator()(float* row, const float* other, std::size_t n) const {
    float* moment = row + n;
    for_lanes(n, [&](auto d, std::size_t i) {
      const auto v = hn::LoadU(d, row + i);
      const auto apart = hn::Sub(hn::LoadU(d, other + i), v);
      const auto m = hn::Add(hn::Mul(hn::Set(d, mu), hn::LoadU(d, moment + i)), apart);
      hn::StoreU(m, d, moment + i);
      const auto step = hn::Add(apart, hn::Mul(hn::Set(d, mu), m));
      hn::StoreU(hn::Add(v, hn::Mul(hn::Set(d, rate), step)), d, row + i);
    });
  }
  float rate;
  float mu;
};

template <class Kernel>
std::size_t push_rows(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                      const Rule& rule, const float* gradients) {
  const Kernel kernel(rule);
  const std::size_t n = layout.value_length;
  return for_rows<true>(rows, begin, layout.row_bytes(),
                        [=](std::size_t i, float* row) { kernel(row, gradients + i * n, n); });
}

std::size_t apply_rule_simd(std::span<const RowRef> rows, std::size_t begin,
                            const RowLayout& layout, const Rule& rule, const float* gradients) {
  switch (rule.kind) {
    case RuleKind::kAdd:
      return push_rows<AddKernel>(rows, begin, layout, rule, gradients);
    case RuleKind::kSgd:
      return push_rows<SgdKernel>(rows, begin, layout, rule, gradients);
    case RuleKind::kMomentum:
      return push_rows<MomentumKernel>(rows, begin, layout, rule, gradients);
    case RuleKind::kAdagrad:
      return push_rows<AdagradKernel>(rows, begin, layout, rule, gradients);
    case RuleKind::kAdam:
      return push_rows<AdamKernel>(rows, begin, layout, rule, gradients);
    case RuleKind::kElastic:
      return push_rows<ElasticKernel>(rows, begin, layout, rule, gradients);
    case RuleKind::kOuter:
      return push_rows<OuterKernel>(rows, begin, layout, rule, gradients);
  }
  return begin;
}

// x * 0 is 0 for finite x and NaN for the rest; sums of it over four independent chains.
bool all_finite_simd(std::span<const float> numbers) {
  const Wide d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  auto sum0 = zero;
  auto sum1 = zero;
  auto sum2 = zero;
  auto sum3 = zero;
  const float* x = numbers.data();
  std::size_t i = 0;
  for (; i + 4 * lanes <= numbers.size(); i += 4 * lanes) {
    sum0 = hn::Add(sum0, hn::Mul(hn::LoadU(d, x + i), zero));
    sum1 = hn::Add(sum1, hn::Mul(hn::LoadU(d, x + i + lanes), zero));
    sum2 = hn::Add(sum2, hn::Mul(hn::LoadU(d, x + i + 2 * lanes), zero));
    sum3 = hn::Add(sum3, hn::Mul(hn::LoadU(d, x + i + 3 * lanes), zero));
  }
  const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  bool finite = hn::AllTrue(d, hn::Eq(sum, zero));
  for (; i < numbers.size(); ++i) finite = finite && std::isfinite(x[i]);
  return finite;
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(copy_rows_out_simd);
HWY_EXPORT(copy_rows_in_simd);
HWY_EXPORT(apply_rule_simd);
HWY_EXPORT(all_finite_simd);

std::size_t copy_rows_out(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                          float* out) {
  return HWY_DYNAMIC_DISPATCH(copy_rows_out_simd)(rows, begin, layout, out);
}

std::size_t copy_rows_in(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                         const float* values, bool reset_state) {
  return HWY_DYNAMIC_DISPATCH(copy_rows_in_simd)(rows, begin, layout, values, reset_state);
}

std::size_t apply_rule(std::span<const RowRef> rows, std::size_t begin, const RowLayout& layout,
                       const Rule& rule, const float* gradients) {
  return HWY_DYNAMIC_DISPATCH(apply_rule_simd)(rows, begin, layout, rule, gradients);
}

bool all_finite(std::span<const float> numbers) {
  return HWY_DYNAMIC_DISPATCH(all_finite_simd)(numbers);
}

}  // namespace godwit
#endif  // HWY_ONCE
