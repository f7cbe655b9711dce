// base/memory_disk_test.cc: crashes and full disks; the rest is in disk_test.cc.
#include "base/memory_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <thread>

namespace godwit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_in(Disk& disk, const std::string& path) {
  const std::vector<std::byte> bytes = disk.read(path).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Writes and syncs the content, not the name.
void write(Disk& disk, const std::string& path, std::string_view text) {
  const auto file = disk.open_write(path).value();
  file->append(bytes_of(text)).value();
  file->sync().value();
}

TEST(MemoryDisk, ACrashLosesWhatWasNotSynced) {
  MemoryDisk disk;
  const auto file = disk.open_write("/a").value();
  file->append(bytes_of("kept")).value();
  file->sync().value();
  file->append(bytes_of("lost")).value();
  disk.sync_dir("/").value();
  EXPECT_EQ(text_in(disk, "/a"), "keptlost");
  disk.crash();
  EXPECT_EQ(text_in(disk, "/a"), "kept");
}

TEST(MemoryDisk, ACrashLosesANameThatWasNotSynced) {
  MemoryDisk disk;
  write(disk, "a", "1");
  disk.crash();
  EXPECT_THAT(disk.list("/").value(), IsEmpty());
}

TEST(MemoryDisk, ASyncedNameWithoutSyncedContentIsAnEmptyFile) {
  MemoryDisk disk;
  disk.open_write("a").value()->append(bytes_of("1")).value();
  disk.sync_dir("/").value();
  disk.crash();
  EXPECT_EQ(disk.size("a").value(), 0U);
}

TEST(MemoryDisk, ACrashBringsBackWhatWasEmptiedRenamedOrRemoved) {
  MemoryDisk disk;
  for (const char* name : {"emptied", "renamed", "removed"}) write(disk, name, name);
  disk.sync_dir("/").value();
  (void)disk.open_write("emptied").value();
  disk.rename("renamed", "elsewhere").value();
  disk.remove("removed").value();
  disk.crash();
  EXPECT_THAT(disk.list("/").value(), ElementsAre("emptied", "removed", "renamed"));
  EXPECT_EQ(text_in(disk, "emptied"), "emptied");
}

TEST(MemoryDisk, ADirectoryRenameIsKeptOnceItsParentIsSynced) {
  MemoryDisk disk;
  disk.make_dirs("/ckpt/step.tmp").value();
  write(disk, "/ckpt/step.tmp/shard", "rows");
  disk.sync_dir("/ckpt/step.tmp").value();
  disk.rename("/ckpt/step.tmp", "/ckpt/step").value();
  disk.sync_dir("/ckpt").value();
  disk.crash();
  EXPECT_THAT(disk.list("/ckpt").value(), ElementsAre("step"));
  EXPECT_EQ(text_in(disk, "/ckpt/step/shard"), "rows");
}

TEST(MemoryDisk, DirectoriesSurviveACrashAtOnce) {
  MemoryDisk disk;
  disk.make_dirs("/a/b").value();
  disk.crash();
  EXPECT_THAT(disk.list("/a").value(), ElementsAre("b"));
}

TEST(MemoryDisk, ALinkIsKeptOnceItsDirectoryIsSynced) {
  MemoryDisk disk;
  disk.make_link("1", "latest").value();
  disk.sync_dir("/").value();
  disk.make_link("2", "next").value();
  disk.rename("next", "latest").value();
  EXPECT_EQ(disk.read_link("latest").value(), "2");
  disk.crash();
  EXPECT_EQ(disk.read_link("latest").value(), "1");
  EXPECT_TRUE(disk.make_new_dir("1").value());
  disk.crash();
  EXPECT_THAT(disk.list("/").value(), ElementsAre("1", "latest"));
}

TEST(MemoryDisk, FilesOpenDuringACrashAreDead) {
  MemoryDisk disk;
  const auto file = disk.open_write("a").value();
  disk.sync_dir("/").value();
  disk.crash();
  EXPECT_EQ(file->append(bytes_of("x")).error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(file->sync().error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(disk.size("a").value(), 0U);
}

TEST(MemoryDisk, AFullDiskTakesWhatFitsAndFails) {
  MemoryDisk disk;
  disk.set_free_space(5);
  const auto file = disk.open_write("a").value();
  EXPECT_TRUE(file->append(bytes_of("123")).ok());
  EXPECT_EQ(disk.free_space("/").value(), 2U);
  const Result<> result = file->append(bytes_of("456"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kUnavailable);
  EXPECT_THAT(result.error().message(), HasSubstr("'a': disk full"));
  EXPECT_EQ(text_in(disk, "a"), "12345");
  disk.set_free_space(MemoryDisk::kUnlimited);
  EXPECT_TRUE(file->append(bytes_of("6")).ok());
}

TEST(MemoryDisk, ADirectoryKeepsItsParent) {
  MemoryDisk disk;
  disk.make_dirs("/a/b").value();
  disk.make_dirs("/c").value();
  EXPECT_EQ(disk.rename("/a/b", "/c/b").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(disk.rename("/a", "/a/b/a").error().code(), ErrorCode::kInvalidArgument);
}

TEST(MemoryDisk, PathsMeanTheSameHoweverTheyAreWritten) {
  MemoryDisk disk;
  disk.make_dirs("a/b").value();
  write(disk, "/a/./b//../x", "1");
  EXPECT_EQ(text_in(disk, "a/x"), "1");
}

TEST(MemoryDisk, ThreadsMayShareIt) {
  MemoryDisk disk;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&disk, i] {
      const auto file = disk.open_append(std::to_string(i)).value();
      for (int k = 0; k < 200; ++k) {
        file->append(bytes_of("x")).value();
        (void)disk.list("/");
      }
    });
  }
  threads.clear();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(disk.size(std::to_string(i)).value(), 200U);
}

}  // namespace
}  // namespace godwit
