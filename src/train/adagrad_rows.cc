// train/adagrad_rows.cc: compiled once per instruction set by Highway's foreach_target.
#include "train/adagrad_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/adagrad_rows.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

#include "train/simd_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {

void step_adagrad_simd(const float* gradient, std::size_t length, float rate, float* value,
                       float* squares) {
  for_lanes(0, length, [&](auto d, std::size_t i) {
    const auto g = hn::LoadU(d, gradient + i);
    const auto sum = hn::Add(hn::LoadU(d, squares + i), hn::Mul(g, g));
    const auto width = hn::Add(hn::Sqrt(sum), hn::Set(d, kAdagradEpsilon));
    const auto step = hn::Div(hn::Mul(hn::Set(d, rate), g), width);
    hn::StoreU(sum, d, squares + i);
    hn::StoreU(hn::Sub(hn::LoadU(d, value + i), step), d, value + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(step_adagrad_simd);

void step_adagrad(const float* gradient, std::size_t length, float rate, float* value,
                  float* squares) {
  HWY_DYNAMIC_DISPATCH(step_adagrad_simd)(gradient, length, rate, value, squares);
}

}  // namespace godwit
#endif  // HWY_ONCE
