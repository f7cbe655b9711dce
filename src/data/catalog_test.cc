// data/catalog_test.cc: paths, names, and what is said about others.
#include "data/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Catalog, NamesBelowTheDataDirectoryAreFound) {
  const OwnFiles files;
  files.write("a9a/a9a.gz", "1 1:1");
  files.write("a9a/a9a.t.gz", "1 1:1");
  files.write("movietweetings-100k/ratings.dat.gz", "x");
  files.write("movietweetings-100k/movies.dat.gz", "x");
  const Catalog catalog{.data_dir = files.dir()};
  const DataSource a9a = find_data(catalog, "a9a").value();
  EXPECT_EQ(a9a.name, "a9a");
  EXPECT_EQ(a9a.files.train.path, files.path("a9a/a9a.gz"));
  EXPECT_EQ(a9a.files.test->path, files.path("a9a/a9a.t.gz"));
  EXPECT_EQ(find_data(catalog, "movietweetings-100k").value().titles->path,
            files.path("movietweetings-100k/movies.dat.gz"));
  EXPECT_THAT(find_data(catalog, "wn18rr").error().message(), HasSubstr("GODWIT_DATA"));
  EXPECT_FALSE(find_analogies(catalog).has_value());
}

TEST(Catalog, OfSeveralNamesTheFirstThatIsThere) {
  const OwnFiles files;
  files.write("a9a/a9a.gz", "1 1:1");
  files.write("a9a/a9a.t.gz", "1 1:1");
  const Catalog catalog{.data_dir = files.dir()};
  EXPECT_EQ(find_first_data(catalog, {"wn18rr", "a9a", "generated:graph"})->name, "a9a");
  EXPECT_THAT(find_first_data(catalog, {"wn18rr", "nothing"}).error().message(),
              HasSubstr("wn18rr"));
}

TEST(Catalog, PathsWinAndGetShortNames) {
  const OwnFiles files;
  const DataSource source = find_data({}, files.write("my.tsv.gz", "x")).value();
  EXPECT_EQ(source.kind, SourceKind::kFiles);
  EXPECT_EQ(source.name, "my");
  files.write("set/train.txt", "x");
  EXPECT_EQ(find_data({}, files.path("set/")).value().name, "set");
  files.write("pics/train-images-idx3-ubyte.gz", "x");
  EXPECT_EQ(find_data({}, files.path("pics")).value().kind, SourceKind::kImages);
}

TEST(Catalog, SetsOfPackagesAreFoundOrTheirPackageIsNamed) {
  const OwnFiles files;
  const Catalog there{.wordnet_dir = files.dir(), .fashion_mnist_dir = files.dir()};
  EXPECT_EQ(find_data(there, "wordnet").value().kind, SourceKind::kWordnet);
  EXPECT_EQ(find_data(there, "fashion-mnist").value().dir, files.dir());
  const Catalog away{.wordnet_dir = files.path("no"), .fashion_mnist_dir = files.path("no")};
  EXPECT_THAT(find_data(away, "wordnet").error().message(), HasSubstr("wordnet-base"));
  EXPECT_THAT(find_data(away, "fashion-mnist").error().message(),
              HasSubstr("dataset-fashion-mnist"));
}

TEST(Catalog, UnknownNamesAreAnsweredWithTheNearest) {
  const auto result = find_data({}, "wordnt");
  EXPECT_EQ(result.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(result.error().message(),
              AllOf(HasSubstr("'wordnt'"), HasSubstr("did you mean 'wordnet'")));
  EXPECT_THAT(find_data({}, "a9a").error().message(), HasSubstr("GODWIT_DATA"));
  EXPECT_THAT(find_data({}, "zzz").error().message(), HasSubstr("known are wordnet"));
  EXPECT_THAT(find_data({}, "dir/none.tsv").error().message(), HasSubstr("none.tsv"));
  EXPECT_FALSE(find_data({}, "").ok());
}

TEST(Catalog, GeneratedSetsKeepTheirSpec) {
  const DataSource source = find_data({}, "generated:graph,blocks=3").value();
  EXPECT_EQ(source.kind, SourceKind::kGenerated);
  EXPECT_EQ(source.name, "graph");
  EXPECT_EQ(source.spec, "generated:graph,blocks=3");
}

}  // namespace
}  // namespace godwit
