// train/word_space_test.cc: neighbours and answers are those a plain loop finds.
#include "train/word_space.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/prng.h"

namespace godwit {
namespace {

std::vector<float> random_vectors(std::size_t words, std::size_t length, std::uint64_t seed) {
  Prng prng(seed);
  std::vector<float> numbers(words * length);
  for (float& x : numbers) x = static_cast<float>(prng.normal());
  return numbers;
}

std::uint32_t plain_answer(const WordSpace& space, const AnalogyWords& question) {
  const auto& [a, b, c] = question;
  double best = -1e9;
  auto answer = static_cast<std::uint32_t>(space.size());
  for (std::uint32_t w = 0; w < space.size(); ++w) {
    if (w == a || w == b || w == c) continue;
    double sum = 0;
    for (std::size_t i = 0; i < space.length(); ++i) {
      const double t = static_cast<double>(space.direction(b)[i]) -
                       static_cast<double>(space.direction(a)[i]) +
                       static_cast<double>(space.direction(c)[i]);
      sum += t * static_cast<double>(space.direction(w)[i]);
    }
    if (sum > best) {
      best = sum;
      answer = w;
    }
  }
  return answer;
}

TEST(WordSpace, AnswersAreThoseOfAPlainLoopOnEveryInstructionSet) {
  for (std::int64_t bits = hwy::SupportedTargets(); bits != 0; bits &= bits - 1) {
    hwy::SetSupportedTargetsForTest(bits & -bits);
    SCOPED_TRACE(hwy::TargetName(bits & -bits));
    for (const std::size_t words : {3U, 4U, 16U, 17U, 100U}) {
      for (const std::size_t length : {1U, 7U, 100U}) {
        const WordSpace space(random_vectors(words, length, words), length);
        Prng prng(length);
        std::vector<AnalogyWords> questions(prng.below(40));
        for (AnalogyWords& question : questions) {
          for (std::uint32_t& w : question) w = static_cast<std::uint32_t>(prng.below(words));
        }
        const std::vector<std::uint32_t> answers = space.answer(questions);
        for (std::size_t i = 0; i < questions.size(); ++i) {
          if (length > 1) {  // in one dimension all cosines are 1 or -1: rounding decides
            EXPECT_EQ(answers[i], plain_answer(space, questions[i])) << words << " " << length;
          } else {
            EXPECT_EQ(std::ranges::count(questions[i], answers[i]), 0);
          }
        }
      }
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
}

TEST(WordSpace, NeighboursAreOrderedAndLeaveOutTheWordItself) {
  // On a circle, by angle; lengths do not matter.
  std::vector<float> vectors;
  for (int w = 0; w < 40; ++w) {
    const float angle = 0.05F * static_cast<float>(w * w % 40);
    const float scale = 1 + static_cast<float>(w);
    vectors.insert(vectors.end(), {scale * std::cos(angle), scale * std::sin(angle)});
  }
  const WordSpace space(vectors, 2);
  const std::vector<WordSpace::Neighbour> near = space.nearest(0, 5);
  ASSERT_EQ(near.size(), 5u);
  for (std::size_t i = 0; i < near.size(); ++i) {
    EXPECT_NE(near[i].word, 0u);
    const float angle = 0.05F * static_cast<float>(near[i].word * near[i].word % 40);
    EXPECT_NEAR(near[i].cosine, std::cos(angle), 1e-5F);
    if (i > 0) {
      EXPECT_LE(near[i].cosine, near[i - 1].cosine);
    }
  }
  EXPECT_EQ(near[0].word, 20u);  // 20 * 20 % 40 is 0, as that of word 0
  EXPECT_EQ(space.nearest(0, 1000).size(), 39u);
}

TEST(WordSpace, WordsWithoutADirectionAreNobodysNeighbours) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> vectors{1, 0, 0, 0, nan, 1, -1, 0.1F, -1, -0.1F};
  const WordSpace space(vectors, 2);
  ASSERT_EQ(space.nearest(0, 9).size(), 2u);
  EXPECT_TRUE(space.nearest(1, 9).empty());
  // Word 3 is far from the target, but words 1 and 2 are no answers at all.
  const std::vector<AnalogyWords> questions{{0, 0, 0}, {4, 0, 3}};
  EXPECT_EQ(space.answer(questions)[0], plain_answer(WordSpace(std::span(vectors), 2), {0, 1, 2}));
  EXPECT_EQ(space.answer(questions)[1], 5u);  // none is left
}

}  // namespace
}  // namespace godwit
