// data/decompress_test.cc: what is packed comes out the same; damage and cuts are noticed.
#include "data/decompress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/prng.h"
#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

struct Packer {
  const char* name;
  std::string (*pack)(std::string_view);
};

class Packers : public testing::TestWithParam<Packer> {
 protected:
  // A megabyte that packs badly, so that it crosses the borders of buffers.
  static std::string text() {
    Prng prng(1);
    std::string letters(1'000'000, ' ');
    for (char& c : letters) c = static_cast<char>('a' + prng.below(26));
    return letters;
  }
  Result<std::string> read(std::string_view packed) {
    return read_all({.path = files_.write("x.bin", packed)}, 1 << 24);
  }

  OwnFiles files_;
};

TEST_P(Packers, WhatIsPackedComesOutTheSame) {
  const std::string all = text();
  EXPECT_EQ(read(GetParam().pack(all)).value(), all);
  EXPECT_EQ(read(GetParam().pack("")).value(), "");
  EXPECT_EQ(read(GetParam().pack("a")).value(), "a");
}

TEST_P(Packers, OneStreamAfterAnotherIsRead) {
  EXPECT_EQ(read(GetParam().pack("one ") + GetParam().pack("two")).value(), "one two");
}

TEST_P(Packers, ACutAnywhereIsNoticed) {
  const std::string packed = GetParam().pack(text().substr(0, 2000));
  for (std::size_t size = 8; size < packed.size(); size += 13) {
    const auto result = read(packed.substr(0, size));
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_EQ(result.error().code(), ErrorCode::kCorruption);
    EXPECT_THAT(result.error().message(), HasSubstr("x.bin"));
  }
}

TEST_P(Packers, DamageIsNoticed) {
  // zstd has no checksum by default: only damage to its structure can be seen.
  std::string packed = GetParam().pack(text().substr(0, 2000));
  for (std::size_t i = 6; i < 26; ++i) packed[i] = '\xff';
  const auto result = read(packed);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kCorruption);
}

TEST_P(Packers, RubbishAfterTheEndIsNoticed) {
  EXPECT_FALSE(read(GetParam().pack("one") + "rubbish that is no stream").ok());
}

INSTANTIATE_TEST_SUITE_P(All, Packers,
                         testing::Values(Packer{"gzip", gzipped}, Packer{"xz", xz_packed},
                                         Packer{"zstd", zstd_packed}),
                         [](const auto& packer) { return packer.param.name; });

TEST(Decompress, OtherBytesStayAsTheyAre) {
  const OwnFiles files;
  EXPECT_EQ(read_all({.path = files.write("a.gz", "not packed")}, 100).value(), "not packed");
  EXPECT_EQ(read_all({.path = files.write("b", "\x1f")}, 100).value(), "\x1f");
}

}  // namespace
}  // namespace godwit
