// bench/row_loops.cc: compiled once per instruction set, so that the limit is a real one.
#include "bench/row_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/row_loops.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Op>
HWY_INLINE void for_lanes(std::size_t n, Op&& op) {
  const hn::ScalableTag<float> wide;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) op(wide, i);
  for (; i < n; ++i) op(hn::CappedTag<float, 1>(), i);
}

HWY_INLINE void copy(const float* from, float* to, std::size_t n) {
  for_lanes(n, [&](auto d, std::size_t i) { hn::StoreU(hn::LoadU(d, from + i), d, to + i); });
}

HWY_INLINE void add(float* row, const float* gradient, std::size_t n) {
  for_lanes(n, [&](auto d, std::size_t i) {
    hn::StoreU(hn::Add(hn::LoadU(d, row + i), hn::LoadU(d, gradient + i)), d, row + i);
  });
}

// kLevel 3 asks for the row into L1, 2 into L2.
template <bool kWrite, int kLevel = 3>
HWY_INLINE void prefetch(const float* row, std::size_t n) {
  for (std::size_t i = 0; i < HWY_MIN(n, 256); i += kCacheLineSize / sizeof(float)) {
    __builtin_prefetch(row + i, kWrite ? 1 : 0, kLevel);
  }
}

// use(i) for all i, with ask(i + ahead) before it.
template <class Ask, class Use>
HWY_INLINE void pipeline(std::size_t n, std::size_t ahead, Ask&& ask, Use&& use) {
  for (std::size_t i = 0; i < HWY_MIN(n, ahead); ++i) ask(i);
  const std::size_t asking = ahead == 0 ? 0 : n - HWY_MIN(n, ahead);
  std::size_t i = 0;
  for (; i < asking; ++i) {
    ask(i + ahead);
    use(i);
  }
  for (; i < n; ++i) use(i);
}

template <bool kWrite, class Use>
HWY_INLINE void plain_loop(const PlainArray& array, std::span<const Key> keys, Prefetch how,
                           Use&& use) {
  const std::size_t n = array.length;
  const auto row = [&](std::size_t i) { return array.begin + keys[i] * n; };
  const auto use_row = [&](std::size_t i) { use(i, row(i)); };
  if (how.into_l2) {
    const auto ask = [&](std::size_t i) { prefetch<kWrite, 2>(row(i), n); };
    pipeline(keys.size(), how.ahead, ask, use_row);
  } else {
    const auto ask = [&](std::size_t i) { prefetch<kWrite>(row(i), n); };
    pipeline(keys.size(), how.ahead, ask, use_row);
  }
}

void plain_pull_simd(const PlainArray& array, std::span<const Key> keys, float* out, Prefetch how) {
  const std::size_t n = array.length;
  plain_loop<false>(array, keys, how,
                    [&](std::size_t i, const float* row) { copy(row, out + i * n, n); });
}

void plain_push_simd(const PlainArray& array, std::span<const Key> keys, const float* gradients,
                     Prefetch how) {
  const std::size_t n = array.length;
  plain_loop<true>(array, keys, how,
                   [&](std::size_t i, float* row) { add(row, gradients + i * n, n); });
}

// Rows come to L2 `ahead` rows before they are used, and to L1 this many rows before.
constexpr std::size_t kNear = 8;

template <class Guard>
HWY_INLINE void rows_push(std::span<const RowRef> rows, const RowLayout& layout,
                          const float* gradients, std::size_t ahead) {
  const std::size_t n = layout.value_length;
  pipeline(
      rows.size(), ahead,
      [&](std::size_t i) {
        prefetch<false, 2>(rows[i].row, n);
        if constexpr (std::is_same_v<Guard, LockedRow>) __builtin_prefetch(rows[i].anchor, 1);
      },
      [&](std::size_t i) {
        if (i + kNear < rows.size()) prefetch<true>(rows[i + kNear].row, n);
        const Guard row(rows[i], layout);
        add(row.value().data(), gradients + i * n, n);
      });
}

void rows_push_locked_simd(std::span<const RowRef> rows, const RowLayout& layout,
                           const float* gradients, std::size_t ahead) {
  rows_push<LockedRow>(rows, layout, gradients, ahead);
}

void rows_push_racy_simd(std::span<const RowRef> rows, const RowLayout& layout,
                         const float* gradients, std::size_t ahead) {
  rows_push<RacyRow>(rows, layout, gradients, ahead);
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(plain_pull_simd);
HWY_EXPORT(plain_push_simd);
HWY_EXPORT(rows_push_locked_simd);
HWY_EXPORT(rows_push_racy_simd);

void plain_pull(const PlainArray& array, std::span<const Key> keys, float* out, Prefetch how) {
  HWY_DYNAMIC_DISPATCH(plain_pull_simd)(array, keys, out, how);
}

void plain_push(const PlainArray& array, std::span<const Key> keys, const float* gradients,
                Prefetch how) {
  HWY_DYNAMIC_DISPATCH(plain_push_simd)(array, keys, gradients, how);
}

void rows_push_locked(std::span<const RowRef> rows, const RowLayout& layout, const float* gradients,
                      std::size_t ahead) {
  HWY_DYNAMIC_DISPATCH(rows_push_locked_simd)(rows, layout, gradients, ahead);
}

void rows_push_racy(std::span<const RowRef> rows, const RowLayout& layout, const float* gradients,
                    std::size_t ahead) {
  HWY_DYNAMIC_DISPATCH(rows_push_racy_simd)(rows, layout, gradients, ahead);
}

}  // namespace godwit
#endif  // HWY_ONCE
