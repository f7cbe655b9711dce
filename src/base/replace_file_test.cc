// base/replace_file_test.cc: full disks and crashes leave the old file or the new one.
#include "base/replace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_disk.h"

namespace godwit {
namespace {

std::string text_in(Disk& disk, const std::string& path) {
  const std::vector<std::byte> bytes = disk.read(path).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(ReplaceFile, SurvivesACrash) {
  MemoryDisk disk;
  disk.make_dirs("run").value();
  ASSERT_TRUE(replace_file(disk, "run/report", "one").ok());
  ASSERT_TRUE(replace_file(disk, "run/report", "two").ok());
  disk.crash();
  EXPECT_EQ(text_in(disk, "run/report"), "two");
  EXPECT_THAT(disk.list("run").value(), testing::ElementsAre("report"));
}

TEST(ReplaceFile, AFullDiskLeavesTheOldFileAlone) {
  MemoryDisk disk;
  ASSERT_TRUE(replace_file(disk, "report", "old").ok());
  disk.set_free_space(2);
  const Result<> result = replace_file(disk, "report", "new one");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(result.error().message(), testing::HasSubstr("'report.tmp': disk full"));
  EXPECT_EQ(text_in(disk, "report"), "old");
  EXPECT_THAT(disk.list("/").value(), testing::ElementsAre("report"));
}

TEST(ReplaceFile, ADirectoryInTheWayIsAnErrorThatLeavesNothingBehind) {
  MemoryDisk disk;
  disk.make_dirs("report/x").value();
  EXPECT_EQ(replace_file(disk, "report", "new").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(disk.list("/").value(), testing::ElementsAre("report"));
}

}  // namespace
}  // namespace godwit
