// train/simd_lanes-inl.h: loops over floats for the files that Highway compiles once per target.
// Included behind highway.h inside such a file, as in kge_kernels.cc. Brings exp and log1p along:
// clang-format would put their header before foreach_target.h.
#if defined(GODWIT_TRAIN_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GODWIT_TRAIN_SIMD_LANES_INL_H_
#undef GODWIT_TRAIN_SIMD_LANES_INL_H_
#else
#define GODWIT_TRAIN_SIMD_LANES_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>;

// Calls op(tag, i) for whole vectors of floats, then for single ones: [begin, end) exactly once.
template <class Op>
HWY_INLINE void for_lanes(std::size_t begin, std::size_t end, Op&& op) {
  const Wide wide;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) op(wide, i);
  for (; i < end; ++i) op(One(), i);
}

// The sum over [begin, end) of term(tag, i), which may store as it goes.
template <class Term>
HWY_INLINE float sum_lanes(std::size_t begin, std::size_t end, Term&& term) {
  const Wide wide;
  const std::size_t lanes = hn::Lanes(wide);
  auto sum = hn::Zero(wide);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) sum = hn::Add(sum, term(wide, i));
  float total = hn::GetLane(hn::SumOfLanes(wide, sum));
  for (; i < end; ++i) total += hn::GetLane(term(One(), i));
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#endif  // per target
