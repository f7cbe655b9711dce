// train/skip_gram.cc: compiled once per instruction set by Highway's foreach_target.
#include "train/skip_gram.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cache_line.h"
#include "base/check.h"
#include "base/prng.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/skip_gram.cc"
// clang-format off
#include <hwy/foreach_target.h>  // NOLINT: must come before the others
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Six outputs, their sums and what is multiplied with them fit the 16 registers of AVX2.
constexpr std::size_t kOutputsMax = 6;
constexpr std::size_t kContextsMax = 2 * std::size_t{kSkipGramWindowMax};
constexpr std::size_t kLanesMax = 16;
constexpr float kLogitMax = 30;           // nothing is left to learn beyond, and exp stays finite
constexpr std::size_t kCentresAhead = 2;  // whose outputs are asked for
constexpr std::size_t kLinesAhead = 16;   // of a row; the hardware follows on longer ones

using Wide = hn::CappedTag<float, kLanesMax>;

// What one centre teaches: contexts times outputs, and at slopes[c * outputs + k] first the product
// of context c and output k, then how far both move along each other.
struct Block {
  std::size_t contexts = 0;
  std::size_t outputs = 0;
  std::array<float*, kContextsMax> in;
  std::array<float*, kOutputsMax> out;
  alignas(64) std::array<float, kContextsMax * kOutputsMax + kLanesMax> slopes;
};

// op(0), ..., op(N - 1) with constants, so that arrays of vectors they index stay in registers.
template <std::size_t... I, class Op>
HWY_INLINE void for_each_of(std::index_sequence<I...>, Op&& op) {
  (op(std::integral_constant<std::size_t, I>()), ...);
}
template <std::size_t N, class Op>
HWY_INLINE void repeat(Op&& op) {
  for_each_of(std::make_index_sequence<N>(), op);
}

// A row is taken in whole vectors; what is left of it by one more, which ends with the row and
// holds lanes that were already taken: this says which were not.
template <class D>
HWY_INLINE auto left_lanes(D d, std::size_t length) {
  return hn::Not(hn::FirstN(d, hn::Lanes(d) - length % hn::Lanes(d)));
}

#if HWY_TARGET != HWY_SCALAR
// Adds the 128-bit blocks of a vector up.
template <class D, class V>
HWY_INLINE void store_sum_of_blocks(D d, V v, float* to) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_sum_of_blocks(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), to);
  }
}

// Sums of neighbours: those of a and of b in turn.
template <class D, class V>
HWY_INLINE V sum_in_turn(D d, V a, V b) {
  return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
}
#endif

// The sums of the lanes of v[0..4), to to[0..4).
template <class D, class V>
HWY_INLINE void store_sums([[maybe_unused]] D d, const V* v, float* to) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    repeat<4>([&](auto i) { to[i] = hn::GetLane(v[i]); });
  } else {
#if HWY_TARGET != HWY_SCALAR
    const hn::Repartition<double, D> two;  // moves two floats as one
    const auto a = hn::BitCast(two, sum_in_turn(d, v[0], v[1]));
    const auto b = hn::BitCast(two, sum_in_turn(d, v[2], v[3]));
    const auto lower = hn::BitCast(d, hn::InterleaveLower(two, a, b));
    const auto upper = hn::BitCast(d, hn::InterleaveUpper(two, a, b));
    store_sum_of_blocks(d, hn::Add(lower, upper), to);
#endif
  }
}

// Products of C contexts from `first` on with all K outputs.
template <std::size_t C, std::size_t K, class D>
HWY_INLINE void multiply_tile(D d, std::size_t length, Block& block, std::size_t first) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kSums = (C * K + 3) / 4 * 4;
  V sums[kSums];
  repeat<kSums>([&](auto i) { sums[i] = hn::Zero(d); });
  const auto add = [&](std::size_t at, auto&& of) {
    V in[C];
    repeat<C>([&](auto c) { in[c] = of(hn::LoadU(d, block.in[first + c] + at)); });
    repeat<K>([&](auto k) {
      const V out = hn::LoadU(d, block.out[k] + at);
      repeat<C>([&](auto c) { sums[c * K + k] = hn::MulAdd(in[c], out, sums[c * K + k]); });
    });
  };
  std::size_t at = 0;
  for (; at + lanes <= length; at += lanes) add(at, [](V v) { return v; });
  if (at < length) {
    const auto left = left_lanes(d, length);
    add(length - lanes, [&](V v) { return hn::IfThenElseZero(left, v); });
  }
  repeat<kSums / 4>(
      [&](auto i) { store_sums(d, sums + 4 * i, block.slopes.data() + first * K + 4 * i); });
}

template <std::size_t K, class D>
HWY_INLINE void multiply(D d, std::size_t length, Block& block) {
  std::size_t c = 0;
  for (; c + 2 <= block.contexts; c += 2) multiply_tile<2, K>(d, length, block, c);
  if (c < block.contexts) multiply_tile<1, K>(d, length, block, c);
}

// From products to slopes. The loss of a product z is log(1 + e^z), less z if the output is the
// centre, and its slope is e^z / (1 + e^z), less one.
HWY_INLINE double find_slopes(Block& block, bool has_centre, float rate) {
  const Wide d;
  const std::size_t n = block.contexts * block.outputs;
  float* const slopes = block.slopes.data();
  double loss = 0;
  if (has_centre) {
    for (std::size_t i = 0; i < n; i += block.outputs) {
      loss -= static_cast<double>(HWY_MAX(-kLogitMax, HWY_MIN(kLogitMax, slopes[i])));
    }
  }
  const auto one = hn::Set(d, 1.0F);
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto z =
        hn::Clamp(hn::LoadU(d, slopes + i), hn::Set(d, -kLogitMax), hn::Set(d, kLogitMax));
    const auto power = hn::Exp(d, z);
    const auto whole = hn::Add(one, power);
    sum = hn::Add(sum, hn::IfThenElseZero(hn::FirstN(d, n - i), hn::Log(d, whole)));
    hn::StoreU(hn::Mul(hn::Set(d, -rate), hn::Div(power, whole)), d, slopes + i);
  }
  if (has_centre) {
    for (std::size_t i = 0; i < n; i += block.outputs) slopes[i] += rate;
  }
  return loss + static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
}

// Moves all rows at once: each lane is read before it is written.
template <std::size_t K, class D>
HWY_INLINE void move_rows(D d, std::size_t length, const Block& block) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  const auto move = [&](std::size_t at, auto&& choose) {
    V old[K];
    V out[K];
    repeat<K>([&](auto k) { out[k] = old[k] = hn::LoadU(d, block.out[k] + at); });
    const float* slope = block.slopes.data();
    for (std::size_t c = 0; c < block.contexts; ++c, slope += K) {
      const V from = hn::LoadU(d, block.in[c] + at);
      V in = from;
      repeat<K>([&](auto k) {
        const V s = hn::Set(d, slope[k]);
        in = hn::MulAdd(s, old[k], in);
        out[k] = hn::MulAdd(s, from, out[k]);
      });
      hn::StoreU(choose(in, from), d, block.in[c] + at);
    }
    repeat<K>([&](auto k) { hn::StoreU(choose(out[k], old[k]), d, block.out[k] + at); });
  };
  std::size_t at = 0;
  for (; at + lanes <= length; at += lanes) move(at, [](V fresh, V) { return fresh; });
  if (at < length) {
    const auto left = left_lanes(d, length);
    move(length - lanes, [&](V fresh, V old) { return hn::IfThenElse(left, fresh, old); });
  }
}

template <std::size_t K, class D>
HWY_NOINLINE double learn_block(D d, std::size_t length, Block& block, bool has_centre,
                                float rate) {
  multiply<K>(d, length, block);
  const double loss = find_slopes(block, has_centre, rate);
  move_rows<K>(d, length, block);
  return loss;
}

template <class D>
HWY_INLINE double learn(D d, std::size_t length, Block& block, bool has_centre, float rate) {
  switch (block.outputs) {
    case 1:
      return learn_block<1>(d, length, block, has_centre, rate);
    case 2:
      return learn_block<2>(d, length, block, has_centre, rate);
    case 3:
      return learn_block<3>(d, length, block, has_centre, rate);
    case 4:
      return learn_block<4>(d, length, block, has_centre, rate);
    case 5:
      return learn_block<5>(d, length, block, has_centre, rate);
    default:
      return learn_block<kOutputsMax>(d, length, block, has_centre, rate);
  }
}

HWY_INLINE void prefetch_row(const float* row, std::size_t length) {
  const char* const line = reinterpret_cast<const char*>(row);
  const std::size_t bytes = HWY_MIN(length * sizeof(float), kLinesAhead * kCacheLineSize);
  for (std::size_t byte = 0; byte < bytes; byte += kCacheLineSize) {
    __builtin_prefetch(line + byte, 1);
  }
}

class Walk {
 public:
  Walk(const SkipGramChunk& chunk, const SkipGramStep& step)
      : chunk_(chunk),
        step_(step),
        prng_(step.seed),
        negatives_(chunk.words.empty() ? 0 : chunk.negatives.size() / chunk.words.size()) {}

  SkipGramProgress run() {
    for (std::size_t i = 0; i < chunk_.words.size(); ++i) {
      ask_ahead(i);
      collect_contexts(i);
      progress_.pairs += block_.contexts;
      if (block_.contexts > 0) teach(i);
    }
    return progress_;
  }

 private:
  void ask_ahead(std::size_t i) const {
    if (i + step_.window + 1 < chunk_.words.size()) {
      prefetch_row(chunk_.inputs[chunk_.words[i + step_.window + 1]], step_.row_length);
    }
    const std::size_t later = i + kCentresAhead;
    if (later >= chunk_.words.size()) return;
    prefetch_row(chunk_.outputs[chunk_.words[later]], step_.row_length);
    for (const std::uint32_t k : chunk_.negatives.subspan(later * negatives_, negatives_)) {
      prefetch_row(chunk_.outputs[k], step_.row_length);
    }
  }

  void collect_contexts(std::size_t i) {
    const std::size_t reach = 1 + prng_.below(step_.window);
    const std::size_t begin = i < reach ? 0 : i - reach;
    const std::size_t end = HWY_MIN(chunk_.words.size(), i + reach + 1);
    block_.contexts = 0;
    for (std::size_t j = begin; j < end; ++j) {
      if (j == i) continue;
      float* const row = chunk_.inputs[chunk_.words[j]];
      if (!contains(block_.in.data(), block_.contexts, row)) block_.in[block_.contexts++] = row;
    }
  }

  static HWY_INLINE bool contains(float* const* rows, std::size_t n, const float* row) {
    bool found = false;
    for (std::size_t i = 0; i < n; ++i) found |= rows[i] == row;
    return found;
  }

  void teach(std::size_t i) {
    float* const centre = chunk_.outputs[chunk_.words[i]];
    block_.out[0] = centre;
    block_.outputs = 1;
    bool has_centre = true;
    for (const std::uint32_t k : chunk_.negatives.subspan(i * negatives_, negatives_)) {
      float* const row = chunk_.outputs[k];
      if (row == centre || contains(block_.out.data(), block_.outputs, row)) continue;
      if (block_.outputs == kOutputsMax) {
        learn_outputs(has_centre);
        has_centre = false;
        block_.outputs = 0;
      }
      block_.out[block_.outputs++] = row;
    }
    learn_outputs(has_centre);
  }

  void learn_outputs(bool has_centre) {
    const std::size_t length = step_.row_length;
    const float rate = step_.learning_rate;
    if (length >= hn::Lanes(Wide())) {
      progress_.loss += learn(Wide(), length, block_, has_centre, rate);
    } else if (length >= 4) {
      progress_.loss += learn(hn::CappedTag<float, 4>(), length, block_, has_centre, rate);
    } else {
      progress_.loss += learn(hn::CappedTag<float, 1>(), length, block_, has_centre, rate);
    }
  }

  const SkipGramChunk& chunk_;
  const SkipGramStep& step_;
  Prng prng_;
  std::size_t negatives_;  // of each centre
  Block block_;
  SkipGramProgress progress_;
};

SkipGramProgress step_skip_gram_simd(const SkipGramChunk& chunk, const SkipGramStep& step) {
  return Walk(chunk, step).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(step_skip_gram_simd);

SkipGramProgress step_skip_gram(const SkipGramChunk& chunk, const SkipGramStep& step) {
  GODWIT_CHECK_GT(step.row_length, 0U);
  GODWIT_CHECK(step.window > 0 && step.window <= kSkipGramWindowMax);
  GODWIT_CHECK(chunk.words.empty() || chunk.negatives.size() % chunk.words.size() == 0);
  return HWY_DYNAMIC_DISPATCH(step_skip_gram_simd)(chunk, step);
}

}  // namespace godwit
#endif  // HWY_ONCE
