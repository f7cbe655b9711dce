// data/corpus_test.cc: words and sentences, against counting by hand.
#include "data/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/prng.h"
#include "data/data_fixture.h"
#include "data/load.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CorpusFile : public testing::Test {
 protected:
  Result<Corpus> read(std::string_view text, const CorpusOptions& options) {
    return read_corpus({.path = files_.write("c.txt", text)}, options);
  }

  OwnFiles files_;
};

TEST_F(CorpusFile, WordsAreNumberedByFallingCountAndRareOnesLeftOut) {
  const Corpus corpus = read("b a  b\trare\r\n\nother\na b c c\n", {.min_count = 2}).value();
  EXPECT_THAT(corpus.vocabulary.words, ElementsAre("b", "a", "c"));
  EXPECT_THAT(corpus.vocabulary.counts, ElementsAre(3, 2, 2));
  EXPECT_THAT(corpus.tokens, ElementsAre(0, 1, 0, 1, 0, 2, 2));
  EXPECT_THAT(corpus.begins, ElementsAre(0, 3, 7));
  EXPECT_EQ(corpus.words_read, 9U);
}

TEST_F(CorpusFile, LongLinesAreCutAndReadingStopsWhenAsked) {
  const Corpus cut = read("a a a a a\na a", {.min_count = 1, .max_sentence = 2}).value();
  EXPECT_THAT(cut.begins, ElementsAre(0, 2, 4, 5, 7));
  const Corpus some = read("a b c d e", {.min_count = 1, .max_words = 3}).value();
  EXPECT_THAT(some.vocabulary.words, ElementsAre("a", "b", "c"));
  EXPECT_EQ(some.words_read, 3U);
}

TEST_F(CorpusFile, WordsAcrossChunksAreWhole) {
  Prng prng(1);
  std::string text;
  for (int i = 0; i < 400'000; ++i) {
    text += "w" + std::to_string(prng.below(1000)) + (prng.below(50) == 0 ? "\n" : " ");
  }
  text += std::string(60'000, 'x');
  std::map<std::string, std::uint64_t> counts;
  std::istringstream words(text);
  for (std::string word; words >> word;) ++counts[word];
  const Corpus corpus = read(text, {.min_count = 1}).value();
  ASSERT_EQ(corpus.vocabulary.words.size(), counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(corpus.vocabulary.counts[i], counts[corpus.vocabulary.words[i]]);
  }
  std::istringstream again(text);
  for (const std::uint32_t token : corpus.tokens) {
    std::string word;
    again >> word;
    ASSERT_EQ(corpus.vocabulary.words[token], word);
  }
}

TEST_F(CorpusFile, WhatIsNoTextIsRefused) {
  EXPECT_THAT(read("", {}).error().message(), HasSubstr("no words"));
  EXPECT_THAT(read(" \n ", {}).error().message(), HasSubstr("no words"));
  EXPECT_THAT(read("a a b", {.min_count = 3}).error().message(),
              HasSubstr("vocabulary would be empty"));
  EXPECT_THAT(read(std::string_view("a\nb\0c", 5), {}).error().message(),
              HasSubstr("NUL byte in line 2"));
  EXPECT_THAT(read(std::string(3'000'000, 'x'), {}).error().message(), HasSubstr("64 KiB"));
  EXPECT_FALSE(read("a", {.min_count = 0}).ok());
  EXPECT_FALSE(read("a", {.min_count = 1, .max_sentence = 0}).ok());
  const std::string packed = xz_packed("a b c d e f g");
  EXPECT_EQ(read(packed.substr(0, packed.size() - 9), {}).error().code(), ErrorCode::kCorruption);
}

TEST(Corpus, DocumentsInMemoryAreLettersInLowerCase) {
  const std::vector<std::string_view> documents = {"A b; \"B's\"", "12", "a-b"};
  const Corpus corpus = make_corpus(documents, {.min_count = 2}).value();
  EXPECT_THAT(corpus.vocabulary.words, ElementsAre("b", "a"));
  EXPECT_THAT(corpus.tokens, ElementsAre(1, 0, 0, 1, 0));
  EXPECT_THAT(corpus.begins, ElementsAre(0, 3, 5));
}

TEST(RealCorpus, TheBeginningOfSimplewikiIsText) {
  const auto source = find_data(real_catalog(), "simplewiki8");
  GODWIT_NEED_DATA(source);
  const Corpus corpus = load_corpus(*source, {.max_words = 500'000}).value();
  EXPECT_EQ(corpus.words_read, 500'000U);
  EXPECT_EQ(corpus.vocabulary.words[0], "the");
  EXPECT_GT(corpus.vocabulary.words.size(), 5'000U);
  EXPECT_GT(corpus.begins.size(), 45U);
}

}  // namespace
}  // namespace godwit
