// data/tar_test.cc: members come out in order; other things and damage do not.
#include "data/tar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"

namespace godwit {
namespace {

// Names of all members with their bytes, "name=bytes".
Result<std::vector<std::string>> members_of(const std::string& tar) {
  const OwnFiles files;
  TarReader reader("x.tar", open_raw(files.write("x.tar", tar)).value());
  std::vector<std::string> all;
  for (;;) {
    auto member = reader.next();
    if (!member.ok()) return std::move(member).error();
    if (!member->has_value()) return all;
    std::string text = (*member)->name + "=";
    std::vector<char> buffer(7);
    for (;;) {
      const auto count = reader.read(buffer);
      if (!count.ok()) return count.error();
      if (*count == 0) break;
      text.append(buffer.data(), *count);
    }
    all.push_back(text);
  }
}

TEST(Tar, MembersComeInOrderWithoutDirectories) {
  const std::string tar = tar_member("d/", "", '5') + tar_member("d/a", "one") +
                          tar_member("empty", "") + tar_of({{"b", std::string(600, 'x')}});
  EXPECT_THAT(members_of(tar).value(),
              testing::ElementsAre("d/a=one", "empty=", "b=" + std::string(600, 'x')));
}

TEST(Tar, LongNamesOfBothKindsAreKnown) {
  const std::string name(150, 'n');
  const std::string gnu = tar_member("././@LongLink", name + '\0', 'L') + tar_of({{"cut", "1"}});
  EXPECT_THAT(members_of(gnu).value(), testing::ElementsAre(name + "=1"));
  const std::string pax = tar_member("pax", "13 path=abcd\n", 'x') + tar_of({{"cut", "1"}});
  EXPECT_THAT(members_of(pax).value(), testing::ElementsAre("abcd=1"));
}

TEST(Tar, CutsAndOtherBytesAreDamage) {
  const std::string tar = tar_of({{"a", std::string(2000, 'x')}});
  for (const std::size_t size : {100U, 700U, 2500U}) {
    EXPECT_EQ(members_of(tar.substr(0, size)).error().code(), ErrorCode::kCorruption) << size;
  }
  EXPECT_FALSE(members_of(std::string(1024, 'x')).ok());
  EXPECT_TRUE(looks_like_tar(tar));
  EXPECT_FALSE(looks_like_tar(std::string(512, 'x')));
  EXPECT_FALSE(looks_like_tar("short"));
}

}  // namespace
}  // namespace godwit
