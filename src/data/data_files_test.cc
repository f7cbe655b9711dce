// data/data_files_test.cc: parts are found by name; what is missing is said.
#include "data/data_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(DataFiles, ADirectoryIsItsParts) {
  const OwnFiles files;
  files.write("set/train.txt", "x");
  files.write("set/dev.tsv.gz", gzipped("x"));
  files.write("set/test", "x");
  files.write("set/readme.txt", "x");
  const DataFiles found = find_data_files(files.path("set")).value();
  EXPECT_EQ(found.train.path, files.path("set/train.txt"));
  EXPECT_EQ(found.valid->path, files.path("set/dev.tsv.gz"));
  EXPECT_EQ(found.test->path, files.path("set/test"));
}

TEST(DataFiles, ATarIsItsPartsHoweverPacked) {
  const OwnFiles files;
  const std::string tar =
      tar_of({{"s/._train.txt", "?"}, {"s/train.txt", "x"}, {"s/valid.x", "y"}});
  for (const std::string& bytes : {tar, gzipped(tar), xz_packed(tar), zstd_packed(tar)}) {
    const DataFiles found = find_data_files(files.write("set.bin", bytes)).value();
    EXPECT_EQ(found.train.member, "s/train.txt");
    EXPECT_EQ(found.valid->text(), files.path("set.bin") + "(s/valid.x)");
    EXPECT_FALSE(found.test.has_value());
  }
}

TEST(DataFiles, AFileIsTheWholeSet) {
  const OwnFiles files;
  const DataFiles found = find_data_files(files.write("my.tsv", "a b c")).value();
  EXPECT_EQ(found.train.path, files.path("my.tsv"));
  EXPECT_FALSE(found.valid.has_value() || found.test.has_value());
}

TEST(DataFiles, WhatIsMissingIsNamedWithTheNearest) {
  const OwnFiles files;
  files.write("ratings.dat", "x");
  const auto result = find_data_files(files.path("ratngs.dat"));
  EXPECT_EQ(result.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(result.error().message(), AllOf(HasSubstr("ratngs.dat'"), HasSubstr("did you mean"),
                                              HasSubstr("ratings.dat'")));
  EXPECT_THAT(find_data_files(files.path("no/x")).error().message(), HasSubstr("directory"));
  EXPECT_FALSE(find_data_files("").ok());
}

TEST(DataFiles, WithoutTrainWhatIsThereIsListed) {
  const OwnFiles files;
  files.write("set/valid.txt", "x");
  files.write("set/other.txt", "x");
  EXPECT_THAT(find_data_files(files.path("set")).error().message(), HasSubstr("no train.*"));
  EXPECT_THAT(find_data_files(files.path("set")).error().message(),
              HasSubstr("other.txt, valid.txt"));
  const auto tar = find_data_files(files.write("x.tar", tar_of({{"a.txt", "x"}})));
  EXPECT_EQ(tar.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(tar.error().message(), HasSubstr("a.txt"));
}

TEST(DataFiles, EmptyAndDoubleFilesAreRefused) {
  const OwnFiles files;
  EXPECT_THAT(find_data_files(files.write("x", "")).error().message(), HasSubstr("is empty"));
  EXPECT_THAT(find_data_files(files.write("x.gz", gzipped(""))).error().message(),
              HasSubstr("is empty"));
  files.write("set/train.txt", "x");
  files.write("set/train.csv", "x");
  EXPECT_THAT(find_data_files(files.path("set")).error().message(), HasSubstr("same part"));
  files.write("other/train.txt", "");
  EXPECT_THAT(find_data_files(files.path("other")).error().message(), HasSubstr("is empty"));
}

}  // namespace
}  // namespace godwit
