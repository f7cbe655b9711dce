// data/load_test.cc: a source is read as what is wanted, with parts, or refused.
#include "data/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Load, FilesWithoutPartsAreSplit) {
  const OwnFiles files;
  std::string text;
  for (int i = 0; i < 400; ++i) text += fmt::format("{}\t{}\t{}\n", i % 20, i % 7, i % 11);
  const DataSource source = find_data({}, files.write("x.tsv", text)).value();
  const Ratings ratings = load_ratings(source).value();
  EXPECT_GT(ratings.valid.size(), 5U);
  EXPECT_GT(ratings.test.size(), 20U);
  EXPECT_EQ(ratings.train.size() + ratings.valid.size() + ratings.test.size(), 400U);
  const Graph graph = load_graph(source).value();
  EXPECT_EQ(graph.test.size(), 40U);
  EXPECT_EQ(graph.valid.size(), 20U);
  EXPECT_FALSE(load_ratings(source, {.valid = 2}).ok());
  EXPECT_THAT(ratings.understood.lines, testing::Contains(testing::StartsWith("400 ratings; ")));
  EXPECT_THAT(ratings.understood.lines.back(), HasSubstr("after the split: "));
  const Ratings whole = load_ratings(source, {.valid = 0, .test = 0}).value();
  EXPECT_THAT(whole.understood.lines.back(), Not(HasSubstr("after the split: ")));
}

TEST(Load, GeneratedSetsComeFromTheirGenerator) {
  const auto find = [](const char* name) { return find_data({}, name).value(); };
  EXPECT_GT(load_ratings(find("generated:lowrank,ratings=1000,held_out=10")).value().noise_floor,
            0);
  EXPECT_GT(load_graph(find("generated:graph,triples=1000,held_out=10")).value().optimal_mrr, 0);
  EXPECT_GT(load_sparse(find("generated:ctr,rows=100,held_out=100")).value().optimal_auc, 0);
  EXPECT_GT(load_sparse(find("generated:linear,rows=100,held_out=100")).value().noise_floor, 0);
  EXPECT_FALSE(load_ratings(find("generated:lowrank,rows=0")).ok());
}

TEST(Load, OtherKindsAreRefusedWithWhatTheyAreGoodFor) {
  const DataSource graph = find_data({}, "generated:graph").value();
  EXPECT_THAT(load_ratings(graph).error().message(), HasSubstr("a set of ratings is needed"));
  EXPECT_THAT(load_sparse(graph).error().message(), HasSubstr("graph triples"));
  EXPECT_FALSE(load_corpus(graph).ok());
  EXPECT_FALSE(load_images(graph).ok());
  const DataSource wordnet{.kind = SourceKind::kWordnet, .name = "wordnet"};
  EXPECT_THAT(load_ratings(wordnet).error().message(), HasSubstr("kge, lda and w2v"));
  const DataSource images{.kind = SourceKind::kImages, .name = "fashion-mnist"};
  EXPECT_THAT(load_graph(images).error().message(), HasSubstr("no task reads them yet"));
}

TEST(RealLoad, GlossesOfWordnetAreACorpus) {
  const auto source = find_data(real_catalog(), "wordnet");
  GODWIT_NEED_DATA(source);
  const Corpus corpus = load_corpus(*source).value();
  EXPECT_GT(corpus.begins.size(), 110'000U);
  EXPECT_THAT(corpus.vocabulary.words, testing::Contains("river"));
}

}  // namespace
}  // namespace godwit
