// bench/word_vector_peers_test.cc: what other programs write is understood; who is missing is said.
#include "bench/word_vector_peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(WordVectorPeers, TheLastRateCounts) {
  const std::string said =
      "Read 0M words\nNumber of words:  7\n"
      "\rProgress:  12.0% words/sec/thread:    4321 lr:  0.04 avg.loss:  4.1 ETA:   0h 0m 9s"
      "\rProgress: 100.0% words/sec/thread:   98765 lr:  0.00 avg.loss:  2.1 ETA:   0h 0m 0s\n";
  EXPECT_EQ(fasttext_rate(said), 98765);
  EXPECT_EQ(fasttext_rate("words/sec/thread: 12"), 12);
  EXPECT_FALSE(fasttext_rate("Read 0M words\n").has_value());
  EXPECT_FALSE(fasttext_rate("words/sec/thread:").has_value());
  EXPECT_FALSE(fasttext_rate("words/sec/thread:  0 lr").has_value());
}

TEST(WordVectorPeers, VectorsAreReadUpToALimit) {
  const OwnFiles files;
  // With a blank at the end of lines, as fastText writes them.
  const std::string path =
      files.write("some.vec", "4 2\nthe 0.5 -1 \n</s> 9 9 \nof 1e-3 2 \nand 3 4 \n");
  const WordVectors vectors = read_word_vectors(path, 2).value();
  EXPECT_THAT(vectors.words, ElementsAre("the", "of"));
  EXPECT_THAT(vectors.values, ElementsAre(0.5F, -1.0F, 1e-3F, 2.0F));
  EXPECT_EQ(vectors.length, 2U);
  EXPECT_EQ(read_word_vectors(path, 100)->words.size(), 3U);
}

TEST(WordVectorPeers, MalformedVectorsAreRefusedWithTheirPlace) {
  const OwnFiles files;
  for (const auto& [text, place] :
       std::vector<std::pair<std::string, std::string>>{{"the 0.5\n", "bad.vec:1"},
                                                        {"1 x\nthe 1\n", "bad.vec:1"},
                                                        {"2 2\nthe 1 2\nof 1\n", "bad.vec:3"},
                                                        {"2 2\nthe 1 two\n", "bad.vec:2"}}) {
    const auto read = read_word_vectors(files.write("bad.vec", text), 10);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message(), HasSubstr(place));
  }
  EXPECT_FALSE(read_word_vectors(files.path("none.vec"), 10).ok());
}

TEST(WordVectorPeers, TextGoesIntoLines) {
  const OwnFiles files;
  Corpus corpus{.vocabulary = {.words = {"a", "b"}}, .begins = {0}};
  for (int i = 0; i < 1500; ++i) corpus.tokens.push_back(i % 2);
  corpus.begins.push_back(1500);
  corpus.tokens.push_back(1);
  corpus.begins.push_back(1501);
  write_words(corpus, files.path("text.txt")).value();
  const Corpus read = read_corpus({.path = files.path("text.txt")}, {.min_count = 1}).value();
  EXPECT_THAT(read.begins, ElementsAre(0, 1000, 1500, 1501));
  EXPECT_EQ(read.vocabulary.words[read.tokens.back()], "b");
}

TEST(WordVectorPeers, OursRunsAndWhatIsMissingIsSaid) {
  const OwnFiles files;
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "w" + std::to_string(i % 7 * (i % 11)) + " ";
  std::vector<BenchResult> results;
  const PeerCase that{
      .data = {"simplewiki8", files.write("text.txt", text)}, .rank = 8, .epochs = 1};
  // gensim cannot be imported, and there is no fasttext, where nothing is.
  const Environment environment{
      {"PATH", files.dir()}, {"TMPDIR", files.dir()}, {"PYTHONHOME", files.dir()}};
  measure_peers(that, {}, environment, [&](const BenchResult& result) {
    results.push_back(result);
  }).value();
  ASSERT_EQ(results.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(results[i].note, "not installed");
    EXPECT_EQ(results[i].value, 0);
  }
  EXPECT_EQ(results[2].case_name, "peers/w2v/godwit");
  EXPECT_GT(results[2].value, 0);
  EXPECT_EQ(results[2].ratio, 1);
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(files.dir())) {
    left += entry.path().filename() != "text.txt" ? 1 : 0;
  }
  EXPECT_EQ(left, 0U) << "temporary files are gone";
}

}  // namespace
}  // namespace godwit
