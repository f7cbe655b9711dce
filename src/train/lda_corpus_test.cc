// train/lda_corpus_test.cc: which words and tokens stay, and who gets which documents.
#include "train/lda_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Corpus corpus_of(const std::vector<std::string_view>& documents) {
  return make_corpus(documents, {.min_count = 1}).value();
}

constexpr SplitSpec kAllToTrain{.valid = 0, .test = 0};

TEST(LdaCorpus, WordsOfTooManyDocumentsAreLeftOut) {
  const Corpus corpus = corpus_of({"the cat the", "the dog", "the cat", "the"});
  const LdaCorpus made = make_lda_corpus(corpus, {.max_share = 0.5, .split = kAllToTrain}).value();
  EXPECT_THAT(made.words, ElementsAre("cat", "dog"));
  EXPECT_EQ(made.documents(), 3U) << "one has no word left";
  EXPECT_THAT(made.train.words, ElementsAre(0, 1, 0));
}

TEST(LdaCorpus, KeepsNoMoreWordsThanAskedFor) {
  const Corpus corpus = corpus_of({"a a a b b c", "d"});
  const LdaCorpus made =
      make_lda_corpus(corpus, {.max_share = 1, .words_max = 2, .split = kAllToTrain}).value();
  EXPECT_THAT(made.words, ElementsAre("a", "b"));
}

TEST(LdaCorpus, EveryTokenIsInOnePart) {
  const std::string text = [] {
    std::string words;
    for (int i = 0; i < 2000; ++i) words += i % 3 == 0 ? "a " : "b ";
    return words;
  }();
  const LdaCorpus made = make_lda_corpus(corpus_of({text}), {.max_share = 1}).value();
  EXPECT_EQ(made.train.words.size() + made.valid.words.size() + made.test.words.size(), 2000U);
  EXPECT_NEAR(static_cast<double>(made.valid.words.size()), 100, 40);
  EXPECT_NEAR(static_cast<double>(made.test.words.size()), 200, 60);
}

TEST(LdaCorpus, NothingLeftIsAnError) {
  const auto made = make_lda_corpus(corpus_of({"a", "a"}), {.max_share = 0.5});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), HasSubstr("no word is left"));
}

TEST(LdaCorpus, WorkersGetAboutAsManyTokens) {
  LdaTokens tokens;
  for (std::size_t document = 0; document < 100; ++document) {
    tokens.words.insert(tokens.words.end(), document < 10 ? 91 : 1, 0);
    tokens.begins.push_back(tokens.words.size());
  }
  const auto firsts = share_documents(tokens, 4);
  ASSERT_EQ(firsts.size(), 5U);
  EXPECT_EQ(firsts.front(), 0U);
  EXPECT_EQ(firsts.back(), 100U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(static_cast<double>(tokens.begins[firsts[i + 1]] - tokens.begins[firsts[i]]), 250,
                91);
  }
}

}  // namespace
}  // namespace godwit
