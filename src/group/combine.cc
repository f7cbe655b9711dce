// group/combine.cc: compiled once per instruction set by Highway's foreach_target.
#include "group/combine.h"

#include <cstdint>

#include "base/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "group/combine.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>;

struct Nothing {};  // is received

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* from) {
  return hn::LoadU(d, from);
}

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const std::uint16_t* from) {
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint16_t, D> halves;
  const auto bits = hn::PromoteTo(words, hn::LoadU(halves, from));
  return hn::BitCast(d, hn::ShiftLeft<16>(bits));
}

template <class D>
HWY_INLINE void store(hn::Vec<D> sum, D d, float* to) {
  hn::StoreU(sum, d, to);
}

template <class D>
HWY_INLINE void store(hn::Vec<D> sum, D, std::uint16_t* to) {
  const hn::RebindToUnsigned<D> words;
  const hn::RebindToSigned<D> ints;
  const hn::Rebind<std::uint16_t, D> halves;
  const auto bits = hn::BitCast(words, sum);
  const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1U));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(words, 0x7fffU)), is_odd);
  const auto quiet = hn::Or(bits, hn::Set(words, 0x00400000U));  // a NaN stays one
  const auto is_number = hn::RebindMask(words, hn::Eq(sum, sum));
  const auto upper = hn::ShiftRight<16>(hn::IfThenElse(is_number, rounded, quiet));
  hn::StoreU(hn::DemoteTo(halves, hn::BitCast(ints, upper)), halves, to);
}

// kCopies = 0: any number. What is said once stays in registers: only the number of copies is
// worth a variant of the loop.
template <std::size_t kCopies, class Source, class Received, class Target>
struct Loop {
  template <class D>
  HWY_INLINE void step(D d, std::size_t i) const {
    auto sum = load(d, sources[0] + i);
    const std::size_t n = kCopies == 0 ? copies : kCopies;
    for (std::size_t j = 1; j < n; ++j) sum = hn::Add(sum, load(d, sources[j] + i));
    if constexpr (!std::is_same_v<Received, Nothing>) sum = hn::Add(sum, load(d, received + i));
    sum = hn::Mul(sum, hn::Set(d, scale));
    for (std::size_t j = 0; j < target_count; ++j) store(sum, d, targets[j] + i);
    if constexpr (std::is_same_v<Target, float> && std::is_same_v<D, Wide>) {
      if (streamed != nullptr) return hn::Stream(sum, d, streamed + i);
    }
    if (streamed != nullptr) store(sum, d, streamed + i);
  }

  HWY_INLINE void run(std::size_t length) const {
    std::size_t i = 0;
    for (; i + hn::Lanes(Wide()) <= length; i += hn::Lanes(Wide())) step(Wide(), i);
    for (; i < length; ++i) step(One(), i);
  }

  const Source* sources[TensorList::kCopiesMax];
  std::size_t copies;
  const Received* received;
  float scale;
  Target* targets[TensorList::kCopiesMax + 1];
  std::size_t target_count;
  Target* streamed;  // aligned to a vector, or null
};

template <std::size_t kCopies, class Source, class Received, class Target>
void run_loop(const Combine& what) {
  Loop<kCopies, Source, Received, Target> loop;
  loop.copies = what.copies.size();
  for (std::size_t j = 0; j < what.copies.size(); ++j) {
    loop.sources[j] = reinterpret_cast<const Source*>(what.copies[j]);
  }
  loop.received = reinterpret_cast<const Received*>(what.received);
  loop.scale = what.scale;
  loop.target_count = what.targets.size();
  for (std::size_t j = 0; j < what.targets.size(); ++j) {
    loop.targets[j] = reinterpret_cast<Target*>(what.targets[j]);
  }
  loop.streamed = reinterpret_cast<Target*>(what.streamed);
  const std::size_t width = hn::Lanes(Wide()) * sizeof(float);
  if (reinterpret_cast<std::uintptr_t>(what.streamed) % width != 0) {
    loop.targets[loop.target_count++] = loop.streamed;
    loop.streamed = nullptr;
  }
  loop.run(what.length);
  if (loop.streamed != nullptr) hwy::FlushStream();
}

template <class Source, class Received, class Target>
void run_copies(const Combine& what) {
  switch (what.copies.size()) {
    case 1:
      return run_loop<1, Source, Received, Target>(what);
    case 2:
      return run_loop<2, Source, Received, Target>(what);
    case 4:
      return run_loop<4, Source, Received, Target>(what);
    default:
      return run_loop<0, Source, Received, Target>(what);
  }
}

template <class Source, class Target>
void run_received(const Combine& what) {
  if (what.received == nullptr) return run_copies<Source, Nothing, Target>(what);
  if (what.received_type == ValueType::kF32) return run_copies<Source, float, Target>(what);
  if constexpr (std::is_same_v<Source, std::uint16_t>) {
    run_copies<Source, std::uint16_t, Target>(what);
  }
}

void combine_simd(const Combine& what) {
  if (what.type == ValueType::kF32) {
    run_received<float, float>(what);
  } else if (what.target_type == ValueType::kF32) {
    run_received<std::uint16_t, float>(what);
  } else {
    run_received<std::uint16_t, std::uint16_t>(what);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(combine_simd);

void combine(const Combine& what) {
  GODWIT_CHECK(!what.copies.empty() && what.copies.size() <= TensorList::kCopiesMax);
  GODWIT_CHECK_LE(what.targets.size(),
                  TensorList::kCopiesMax + (what.streamed == nullptr ? 1U : 0U));
  GODWIT_CHECK(what.type == ValueType::kBf16 ||
               (what.target_type == ValueType::kF32 && what.received_type == ValueType::kF32));
  HWY_DYNAMIC_DISPATCH(combine_simd)(what);
}

}  // namespace godwit
#endif  // HWY_ONCE
