// data/byte_stream_test.cc: files, members, and what cannot be opened.
#include "data/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(ByteStream, AMemberOfAPackedTarIsReadAlone) {
  const OwnFiles files;
  const std::string tar = tar_of({{"a.txt", "one"}, {"b.txt.gz", gzipped("two")}});
  const std::string path = files.write("set.tar.xz", xz_packed(tar));
  EXPECT_EQ(read_all({.path = path, .member = "a.txt"}, 100).value(), "one");
  EXPECT_EQ(read_all({.path = path, .member = "b.txt.gz"}, 100).value(), "two");
  const auto missing = read_all({.path = path, .member = "c"}, 100);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

TEST(ByteStream, WhatIsNoFileIsRefused) {
  const OwnFiles files;
  EXPECT_EQ(open_raw(files.path("none")).error().code(), ErrorCode::kNotFound);
  const auto directory = open_raw(files.dir());
  EXPECT_EQ(directory.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(directory.error().message(), HasSubstr("is a directory"));
}

TEST(ByteStream, TooManyBytesAreRefused) {
  const OwnFiles files;
  const std::string path = files.write("x", "12345");
  EXPECT_TRUE(read_all({.path = path}, 5).ok());
  EXPECT_FALSE(read_all({.path = path}, 4).ok());
}

}  // namespace
}  // namespace godwit
