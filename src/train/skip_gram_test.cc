// train/skip_gram_test.cc: every instruction set moves rows as a plain loop over pairs does.
#include "train/skip_gram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/prng.h"
#include "base/simd_targets_fixture.h"

namespace godwit {
namespace {

constexpr float kGuard = 12345;  // lies between rows, must stay

// Rows of both tables, each with a guard behind it, and a text over them.
struct Text {
  Text(std::size_t row_length, std::size_t words_known, std::size_t positions, std::size_t negative,
       std::uint64_t seed)
      : length(row_length) {
    Prng prng(seed);
    const std::size_t rows = words_known + 7;  // the last ones are only negatives
    in.assign(words_known, {});
    out.assign(rows, {});
    for (auto& row : in) fill(row, prng);
    for (auto& row : out) fill(row, prng);
    for (auto& row : in) in_rows.push_back(row.data());
    for (auto& row : out) out_rows.push_back(row.data());
    for (std::size_t i = 0; i < positions; ++i) {
      words.push_back(static_cast<std::uint32_t>(prng.below(words_known)));
    }
    for (std::size_t i = 0; i < positions * negative; ++i) {
      negatives.push_back(static_cast<std::uint32_t>(prng.below(rows)));
    }
  }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void fill(std::vector<float>& row, Prng& prng) const {
    for (std::size_t i = 0; i < length; ++i) row.push_back(prng.uniform_float() - 0.5F);
    row.push_back(kGuard);
  }
  SkipGramChunk chunk() const { return {words, in_rows, out_rows, negatives}; }

  std::size_t length;
  std::vector<std::vector<float>> in;
  std::vector<std::vector<float>> out;
  std::vector<float*> in_rows;
  std::vector<float*> out_rows;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> negatives;
};

using Matrix = std::vector<std::vector<double>>;

Matrix doubles(const std::vector<std::vector<float>>& rows, std::size_t length) {
  Matrix copy;
  for (const auto& row : rows)
    copy.emplace_back(row.begin(), row.begin() + static_cast<long>(length));
  return copy;
}

// The same steps, pair by pair, in double.
struct Oracle {
  Oracle(const Text& from, const SkipGramStep& how)
      : text(from),
        step(how),
        in(doubles(from.in, from.length)),
        out(doubles(from.out, from.length)) {}

  void run() {
    const std::size_t n = text.words.size();
    Prng prng(step.seed);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t reach = 1 + prng.below(step.window);
      std::set<std::uint32_t> contexts;
      for (std::size_t j = i < reach ? 0 : i - reach; j < n && j <= i + reach; ++j) {
        if (j != i) contexts.insert(text.words[j]);
      }
      pairs += contexts.size();
      teach(contexts, i);
    }
  }

  void teach(const std::set<std::uint32_t>& contexts, std::size_t i) {
    const std::size_t each = text.negatives.size() / text.words.size();
    std::vector<std::uint32_t> outputs{text.words[i]};
    bool has_centre = true;
    for (std::size_t k = i * each; k < (i + 1) * each; ++k) {
      const std::uint32_t negative = text.negatives[k];
      if (negative == text.words[i] || std::ranges::count(outputs, negative) > 0) continue;
      if (outputs.size() == 6) {
        learn(contexts, outputs, has_centre);
        has_centre = false;
        outputs.clear();
      }
      outputs.push_back(negative);
    }
    learn(contexts, outputs, has_centre);
  }

  void learn(const std::set<std::uint32_t>& contexts, const std::vector<std::uint32_t>& outputs,
             bool has_centre) {
    const Matrix old_in = in;
    const Matrix old_out = out;
    for (const std::uint32_t c : contexts) {
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const std::uint32_t o = outputs[k];
        double z = 0;
        for (std::size_t x = 0; x < text.length; ++x) z += old_in[c][x] * old_out[o][x];
        const double label = has_centre && k == 0 ? 1 : 0;
        loss += std::log1p(std::exp(z)) - label * z;
        const double slope =
            static_cast<double>(step.learning_rate) * (label - 1 / (1 + std::exp(-z)));
        for (std::size_t x = 0; x < text.length; ++x) {
          in[c][x] += slope * old_out[o][x];
          out[o][x] += slope * old_in[c][x];
        }
      }
    }
  }

  const Text& text;
  const SkipGramStep& step;
  Matrix in;
  Matrix out;
  double loss = 0;
  std::uint64_t pairs = 0;
};

void expect_near(const std::vector<std::vector<float>>& rows, const Matrix& expected,
                 std::size_t length) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t x = 0; x < length; ++x) {
      ASSERT_NEAR(static_cast<double>(rows[r][x]), expected[r][x], 2e-5)
          << "row " << r << ", number " << x << " of " << length;
    }
    ASSERT_EQ(rows[r][length], kGuard) << "behind row " << r << " of length " << length;
  }
}

void expect_as_oracle(std::size_t length, std::size_t positions, std::size_t negatives,
                      std::uint32_t window) {
  SCOPED_TRACE(testing::Message() << "length " << length << ", " << positions << " positions, "
                                  << negatives << " negatives, window " << window);
  Text text(length, 9, positions, negatives, length + positions);
  const SkipGramStep step{
      .row_length = length, .window = window, .learning_rate = 0.2F, .seed = length};
  Oracle oracle(text, step);
  oracle.run();
  const SkipGramProgress progress = step_skip_gram(text.chunk(), step);
  EXPECT_EQ(progress.pairs, oracle.pairs);
  EXPECT_NEAR(progress.loss, oracle.loss, 1e-4 * (1 + oracle.loss));
  expect_near(text.in, oracle.in, length);
  expect_near(text.out, oracle.out, length);
}

TEST(SkipGram, EveryLengthLearnsAsPairByPairOnEveryInstructionSet) {
  for (const std::int64_t target : targets()) {
    const OnlyTarget only(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (std::size_t length = 1; length <= 130; ++length) expect_as_oracle(length, 12, 5, 5);
    for (const std::size_t length : {300U, 1023U, 1024U}) expect_as_oracle(length, 4, 5, 5);
  }
}

TEST(SkipGram, AnyNumberOfNegativesAndAnyWindowLearnAsPairByPair) {
  for (const std::int64_t target : targets()) {
    const OnlyTarget only(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (std::size_t negatives = 0; negatives <= 20; ++negatives) {
      expect_as_oracle(19, 15, negatives, 3);
    }
    for (const std::uint32_t window : {1U, 2U, 7U, kSkipGramWindowMax}) {
      expect_as_oracle(20, 40, 5, window);
    }
  }
}

TEST(SkipGram, AsManyContextsAsAWindowHoldsLearn) {
  Text text(8, 200, 200, 5, 3);
  for (std::uint32_t i = 0; i < 200; ++i) text.words[i] = i;
  const SkipGramStep step{.row_length = 8, .window = kSkipGramWindowMax, .learning_rate = 0.01F};
  Oracle oracle(text, step);
  oracle.run();
  EXPECT_EQ(step_skip_gram(text.chunk(), step).pairs, oracle.pairs);
  expect_near(text.in, oracle.in, 8);
}

TEST(SkipGram, TheSameSeedGivesTheSameBits) {
  Text first(100, 30, 200, 5, 1);
  Text again(100, 30, 200, 5, 1);
  Text other(100, 30, 200, 5, 1);
  const SkipGramProgress a = step_skip_gram(first.chunk(), {.row_length = 100, .seed = 5});
  const SkipGramProgress b = step_skip_gram(again.chunk(), {.row_length = 100, .seed = 5});
  step_skip_gram(other.chunk(), {.row_length = 100, .seed = 6});
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(first.in, again.in);
  EXPECT_EQ(first.out, again.out);
  EXPECT_NE(first.in, other.in);
}

TEST(SkipGram, LargeProductsStayFinite) {
  Text text(16, 9, 20, 5, 1);
  for (auto& row : text.in) std::fill_n(row.begin(), 16, 1e3F);
  for (auto& row : text.out) std::fill_n(row.begin(), 16, -1e3F);
  const SkipGramProgress progress = step_skip_gram(text.chunk(), {.row_length = 16});
  EXPECT_TRUE(std::isfinite(progress.loss));
  for (const auto& row : text.in) {
    for (const float x : row) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(SkipGram, TextWithoutNeighboursTeachesNothing) {
  Text one(10, 3, 1, 5, 1);
  const auto before = one.in;
  EXPECT_EQ(step_skip_gram(one.chunk(), {.row_length = 10}).pairs, 0u);
  EXPECT_EQ(one.in, before);
  Text none(10, 3, 0, 5, 1);
  EXPECT_EQ(step_skip_gram(none.chunk(), {.row_length = 10}).pairs, 0u);
}

TEST(SkipGram, WordsThatKeepCompanyGrowAlike) {
  // Even words follow even ones, odd follow odd.
  Text text(24, 10, 4000, 5, 2);
  Prng prng(8);
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    text.words[i] = static_cast<std::uint32_t>(2 * prng.below(5) + (i / 200) % 2);
  }
  double first = 0;
  double last = 0;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    const SkipGramStep step{.row_length = 24, .learning_rate = 0.05F, .seed = epoch};
    const SkipGramProgress progress = step_skip_gram(text.chunk(), step);
    last = progress.loss / static_cast<double>(progress.pairs);
    if (epoch == 0) first = last;
  }
  EXPECT_LT(last, first - 0.05);
  const auto cosine = [&](std::size_t a, std::size_t b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t x = 0; x < 24; ++x) {
      const double p = static_cast<double>(text.in[a][x]);
      const double q = static_cast<double>(text.in[b][x]);
      ab += p * q, aa += p * p, bb += q * q;
    }
    return ab / std::sqrt(aa * bb);
  };
  EXPECT_GT(cosine(0, 2), cosine(0, 1) + 0.5);
}

}  // namespace
}  // namespace godwit
