// train/text_chunks_test.cc: every token once and in order, sentences whole where they fit.
#include "train/text_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace godwit {
namespace {

using testing::ElementsAre;

Corpus corpus_of(const std::vector<std::uint64_t>& lengths) {
  Corpus corpus;
  corpus.begins = {0};
  for (const std::uint64_t length : lengths) corpus.begins.push_back(corpus.begins.back() + length);
  corpus.tokens.resize(corpus.begins.back());
  std::iota(corpus.tokens.begin(), corpus.tokens.end(), 0U);
  return corpus;
}

TEST(TextChunks, ShortSentencesGoTogetherAndLongOnesAreCut) {
  const Corpus corpus = corpus_of({3, 4, 0, 3, 25, 2, 10, 1});
  const TextChunks chunks(corpus, 10);
  std::vector<std::uint32_t> all;
  std::vector<std::vector<std::size_t>> ends;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto tokens = chunks.tokens(i);
    EXPECT_LE(tokens.size(), 10U);
    all.insert(all.end(), tokens.begin(), tokens.end());
    ends.emplace_back(chunks.ends(i).begin(), chunks.ends(i).end());
    EXPECT_EQ(ends.back().back(), tokens.size());
  }
  EXPECT_EQ(all, corpus.tokens);
  EXPECT_THAT(ends, ElementsAre(ElementsAre(3, 7, 10), ElementsAre(10), ElementsAre(10),
                                ElementsAre(5, 7), ElementsAre(10), ElementsAre(1)));
}

TEST(TextChunks, OfNoTextThereAreNone) {
  EXPECT_EQ(TextChunks(corpus_of({}), 10).size(), 0U);
  EXPECT_EQ(TextChunks(corpus_of({0, 0}), 10).size(), 0U);
}

}  // namespace
}  // namespace godwit
