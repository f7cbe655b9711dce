// train/analogies_test.cc: which questions count, and which of them are right.
#include "train/analogies.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(Analogies, OnlyQuestionsOfKnownWordsCount) {
  // queen = king - man + woman.
  const std::vector<std::string> words{"man", "Woman", "king", "queen", "apple"};
  const std::vector<float> vectors{1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, -1, -1, 1};
  const WordSpace space(vectors, 3);
  const std::vector<std::array<std::string, 4>> questions{{"man", "king", "woman", "QUEEN"},
                                                          {"man", "woman", "king", "queen"},
                                                          {"man", "woman", "king", "apple"},
                                                          {"man", "woman", "king", "duchess"},
                                                          {"boy", "woman", "king", "queen"}};
  const AnalogyScore score = ask_analogies(space, words, questions);
  EXPECT_EQ(score.asked, 3u);
  EXPECT_EQ(score.right, 2u);
  EXPECT_DOUBLE_EQ(score.share(), 2.0 / 3);
  EXPECT_EQ(ask_analogies(space, words, {}).share(), 0);
}

TEST(Analogies, OfNamesThatDifferInCaseTheFirstCounts) {
  const std::vector<std::string> words{"a", "b", "c", "d", "D"};
  const std::vector<float> vectors{1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, -1, -1, 1};
  const std::vector<std::array<std::string, 4>> questions{{"A", "B", "C", "D"}};
  EXPECT_EQ(ask_analogies(WordSpace(vectors, 3), words, questions).right, 1u);
}

}  // namespace
}  // namespace godwit
