// train/word_space.cc: compiled once per instruction set by Highway's foreach_target.
#include "train/word_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/word_space.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPanel = WordSpace::kPanel;
constexpr std::size_t kTargets = WordSpace::kTargets;

// Products of kTargets targets with the words of a panel: scores[t * kPanel + w]. The i-th number
// of target t is at targets[i * kTargets + t]. Bit t comes back set iff one is above floors[t].
std::uint32_t score_panel_simd(const float* panel, const float* targets, std::size_t length,
                               const float* floors, float* scores) {
  const hn::CappedTag<float, kPanel> d;
  using V = hn::Vec<decltype(d)>;
  std::uint32_t above = 0;
  for (std::size_t w = 0; w < kPanel; w += hn::Lanes(d)) {
    const V zero = hn::Zero(d);
    V s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero;
    V s6 = zero, s7 = zero, s8 = zero, s9 = zero, s10 = zero, s11 = zero;
    const float* t = targets;
    for (std::size_t i = 0; i < length; ++i, t += kTargets) {
      const V words = hn::LoadU(d, panel + i * kPanel + w);
      s0 = hn::MulAdd(words, hn::Set(d, t[0]), s0);
      s1 = hn::MulAdd(words, hn::Set(d, t[1]), s1);
      s2 = hn::MulAdd(words, hn::Set(d, t[2]), s2);
      s3 = hn::MulAdd(words, hn::Set(d, t[3]), s3);
      s4 = hn::MulAdd(words, hn::Set(d, t[4]), s4);
      s5 = hn::MulAdd(words, hn::Set(d, t[5]), s5);
      s6 = hn::MulAdd(words, hn::Set(d, t[6]), s6);
      s7 = hn::MulAdd(words, hn::Set(d, t[7]), s7);
      s8 = hn::MulAdd(words, hn::Set(d, t[8]), s8);
      s9 = hn::MulAdd(words, hn::Set(d, t[9]), s9);
      s10 = hn::MulAdd(words, hn::Set(d, t[10]), s10);
      s11 = hn::MulAdd(words, hn::Set(d, t[11]), s11);
    }
    const V sums[kTargets] = {s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11};
    for (std::size_t k = 0; k < kTargets; ++k) {
      hn::StoreU(sums[k], d, scores + k * kPanel + w);
      const bool higher = !hn::AllFalse(d, hn::Gt(sums[k], hn::Set(d, floors[k])));
      above |= static_cast<std::uint32_t>(higher) << k;
    }
  }
  return above;
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(score_panel_simd);

namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

double product(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

// False, and all zero, if the numbers have no direction.
bool make_unit(std::span<float> numbers) {
  const double norm = std::sqrt(product(numbers, numbers));
  const bool has_direction = std::isfinite(norm) && norm > 0;
  for (float& x : numbers) {
    x = has_direction ? static_cast<float>(static_cast<double>(x) / norm) : 0;
  }
  return has_direction;
}

}  // namespace

WordSpace::WordSpace(std::span<const float> vectors, std::size_t length)
    : size_(vectors.size() / length), length_(length), rows_(vectors.begin(), vectors.end()) {
  GODWIT_CHECK_EQ(size_ * length, vectors.size());
  panels_.resize((size_ + kPanel - 1) / kPanel * kPanel * length);
  for (std::size_t w = 0; w < size_; ++w) {
    const std::span<float> row = std::span(rows_).subspan(w * length, length);
    make_unit(row);
    float* const column = panels_.data() + w / kPanel * length * kPanel + w % kPanel;
    for (std::size_t i = 0; i < length; ++i) column[i * kPanel] = row[i];
  }
}

bool WordSpace::has_direction(std::uint32_t word) const {
  return std::ranges::any_of(direction(word), [](float x) { return x != 0; });
}

std::vector<WordSpace::Neighbour> WordSpace::nearest(std::span<const float> target,
                                                     std::size_t count,
                                                     std::span<const std::uint32_t> except) const {
  GODWIT_CHECK_EQ(target.size(), length_);
  std::vector<float> unit(target.begin(), target.end());
  if (!make_unit(unit)) return {};
  std::vector<Neighbour> all;
  all.reserve(size_);
  for (std::uint32_t w = 0; w < size_; ++w) {
    if (std::ranges::find(except, w) != except.end() || !has_direction(w)) continue;
    all.push_back({w, static_cast<float>(product(unit, direction(w)))});
  }
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::ranges::partial_sort(all, middle, [](const Neighbour& a, const Neighbour& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.word < b.word;
  });
  all.erase(middle, all.end());
  return all;
}

std::vector<WordSpace::Neighbour> WordSpace::nearest(std::uint32_t word, std::size_t count) const {
  GODWIT_CHECK_LT(word, size_);
  return nearest(direction(word), count, {&word, 1});
}

std::vector<std::uint32_t> WordSpace::answer(std::span<const AnalogyWords> questions) const {
  std::vector<std::uint32_t> answers(questions.size());
  for (std::size_t i = 0; i < questions.size(); i += kTargets) {
    const std::size_t n = std::min(kTargets, questions.size() - i);
    answer_some(questions.subspan(i, n), std::span(answers).subspan(i, n));
  }
  return answers;
}

void WordSpace::answer_some(std::span<const AnalogyWords> questions,
                            std::span<std::uint32_t> answers) const {
  std::vector<float> targets(length_ * kTargets);
  for (std::size_t t = 0; t < questions.size(); ++t) {
    const auto& [a, b, c] = questions[t];
    for (std::size_t i = 0; i < length_; ++i) {
      targets[i * kTargets + t] = direction(b)[i] - direction(a)[i] + direction(c)[i];
    }
  }
  std::ranges::fill(answers, static_cast<std::uint32_t>(size_));
  std::array<float, kTargets> best;
  best.fill(std::numeric_limits<float>::infinity());  // of targets that are not there
  std::fill_n(best.begin(), questions.size(), kLowest);
  std::array<float, kTargets * kPanel> scores;
  for (std::size_t first = 0; first < size_; first += kPanel) {
    const std::uint32_t above = HWY_DYNAMIC_DISPATCH(score_panel_simd)(
        panels_.data() + first * length_, targets.data(), length_, best.data(), scores.data());
    for (std::size_t t = 0; t < questions.size(); ++t) {
      if ((above >> t & 1) == 0) continue;
      const std::size_t last = std::min(kPanel, size_ - first);
      for (std::size_t w = 0; w < last; ++w) {
        const auto word = static_cast<std::uint32_t>(first + w);
        const float s = scores[t * kPanel + w];
        if (s <= best[t] || !has_direction(word)) continue;
        if (std::ranges::find(questions[t], word) != questions[t].end()) continue;
        best[t] = s;
        answers[t] = word;
      }
    }
  }
}

}  // namespace godwit
#endif  // HWY_ONCE
