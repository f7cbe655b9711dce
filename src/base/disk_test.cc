// base/disk_test.cc: what every Disk does, on RealDisk and MemoryDisk; then RealDisk's own.
#include "base/disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>

#include "base/memory_disk.h"

namespace godwit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class DiskTest : public testing::TestWithParam<bool> {
 protected:
  DiskTest()
      : disk_(GetParam() ? std::unique_ptr<Disk>(std::make_unique<RealDisk>())
                         : std::make_unique<MemoryDisk>()) {
    root_ = testing::TempDir() + "godwit_disk_test_" + std::to_string(::getpid());
    if (GetParam()) std::filesystem::remove_all(root_);
    disk_->make_dirs(root_).value();
  }
  ~DiskTest() override {
    std::error_code ignored;
    if (GetParam()) std::filesystem::remove_all(root_, ignored);
  }

  std::string at(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, std::string_view text) {
    const auto file = disk_->open_write(at(name)).value();
    file->append(bytes_of(text)).value();
    file->sync().value();
    file->close().value();
  }
  std::string read(const std::string& name) { return text_of(disk_->read(at(name)).value()); }

  std::unique_ptr<Disk> disk_;
  std::string root_;
};

INSTANTIATE_TEST_SUITE_P(Disks, DiskTest, testing::Values(true, false),
                         [](const auto& which) { return which.param ? "Real" : "Memory"; });

// The error of a result that must have failed, with its path in the message.
template <class T>
ErrorCode code_for(const std::string& path, const Result<T>& result) {
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.error().message(), HasSubstr(path));
  return result.error().code();
}

TEST_P(DiskTest, ReadsBackWhatWasWritten) {
  write("a", "hello");
  EXPECT_EQ(read("a"), "hello");
  EXPECT_EQ(disk_->size(at("a")).value(), 5U);
  write("empty", "");
  EXPECT_EQ(read("empty"), "");
}

TEST_P(DiskTest, LargeFilesComeBackWhole) {
  std::string text(3'000'000, 'x');
  for (std::size_t i = 0; i < text.size(); i += 1000) text[i] = static_cast<char>('a' + i % 23);
  write("large", text);
  EXPECT_EQ(read("large"), text);
}

TEST_P(DiskTest, OpenWriteEmptiesAndOpenAppendGoesOn) {
  write("a", "first");
  write("a", "2nd");
  EXPECT_EQ(read("a"), "2nd");
  for (const char* more : {"+", "more"}) {
    const auto file = disk_->open_append(at("a")).value();
    file->append(bytes_of(more)).value();
  }
  disk_->open_append(at("new")).value()->append(bytes_of("x")).value();
  EXPECT_EQ(read("a"), "2nd+more");
  EXPECT_EQ(read("new"), "x");
}

TEST_P(DiskTest, ReadsRangesInsideTheFileOnly) {
  write("a", "0123456789");
  std::vector<std::byte> out(4);
  ASSERT_TRUE(disk_->read_range(at("a"), 6, out).ok());
  EXPECT_EQ(text_of(out), "6789");
  EXPECT_TRUE(disk_->read_range(at("a"), 10, {}).ok());
  EXPECT_EQ(code_for(at("a"), disk_->read_range(at("a"), 7, out)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("a"), disk_->read_range(at("a"), ~std::uint64_t{0}, out)),
            ErrorCode::kInvalidArgument);
}

TEST_P(DiskTest, ListsNamesSorted) {
  EXPECT_THAT(disk_->list(root_).value(), IsEmpty());
  write("b", "");
  write("a", "");
  ASSERT_TRUE(disk_->make_dirs(at("c/d")).ok());
  EXPECT_THAT(disk_->list(root_).value(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(disk_->list(at("c")).value(), ElementsAre("d"));
}

TEST_P(DiskTest, MakeDirsIsContentWithWhatExists) {
  EXPECT_TRUE(disk_->make_dirs(at("x//y/")).ok());
  EXPECT_TRUE(disk_->make_dirs(at("x/y")).ok());
  write("x/y/file", "1");
  EXPECT_EQ(code_for("file", disk_->make_dirs(at("x/y/file"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for("file", disk_->make_dirs(at("x/y/file/z"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("x/y/file"), "1");
}

TEST_P(DiskTest, OneOfSeveralMakesANewDirectory) {
  EXPECT_TRUE(disk_->make_new_dir(at("run")).value());
  EXPECT_FALSE(disk_->make_new_dir(at("run")).value());
  write("file", "");
  EXPECT_FALSE(disk_->make_new_dir(at("file")).value());
  disk_->make_link("nowhere", at("link")).value();
  EXPECT_FALSE(disk_->make_new_dir(at("link")).value());
  EXPECT_EQ(code_for(at("no/run"), disk_->make_new_dir(at("no/run"))), ErrorCode::kNotFound);
}

TEST_P(DiskTest, LinksAreFollowed) {
  ASSERT_TRUE(disk_->make_dirs(at("runs/1/ckpt")).ok());
  disk_->make_link("1", at("runs/latest")).value();
  EXPECT_EQ(disk_->read_link(at("runs/latest")).value(), "1");
  write("runs/latest/file", "one");
  EXPECT_EQ(read("runs/1/file"), "one");
  EXPECT_THAT(disk_->list(at("runs/latest")).value(), ElementsAre("ckpt", "file"));
  ASSERT_TRUE(disk_->make_dirs(at("runs/latest/log")).ok());
  EXPECT_THAT(disk_->list(at("runs/1")).value(), ElementsAre("ckpt", "file", "log"));
  disk_->make_link("../runs/latest/file", at("runs/up")).value();
  EXPECT_EQ(read("runs/up"), "one");
  disk_->make_link(at("runs/up"), at("from_root")).value();
  write("from_root", "two");
  EXPECT_EQ(read("runs/1/file"), "two");
}

TEST_P(DiskTest, RenameAndRemoveMeanTheLinkItself) {
  ASSERT_TRUE(disk_->make_dirs(at("1")).ok());
  ASSERT_TRUE(disk_->make_dirs(at("2")).ok());
  disk_->make_link("1", at("latest")).value();
  disk_->make_link("2", at("next")).value();
  ASSERT_TRUE(disk_->rename(at("next"), at("latest")).ok());
  EXPECT_EQ(disk_->read_link(at("latest")).value(), "2");
  EXPECT_THAT(disk_->list(root_).value(), ElementsAre("1", "2", "latest"));
  ASSERT_TRUE(disk_->remove(at("latest")).ok());
  EXPECT_THAT(disk_->list(root_).value(), ElementsAre("1", "2"));
}

TEST_P(DiskTest, LinksThatLeadNowhereAreErrors) {
  disk_->make_link("gone", at("link")).value();
  EXPECT_EQ(code_for(at("link"), disk_->read(at("link"))), ErrorCode::kNotFound);
  disk_->make_link("a", at("b")).value();
  disk_->make_link("b", at("a")).value();
  EXPECT_EQ(code_for(at("a"), disk_->read(at("a"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("a"), disk_->open_write(at("a"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("a"), disk_->make_link("x", at("a"))), ErrorCode::kInvalidArgument);
  write("file", "");
  EXPECT_EQ(code_for(at("file"), disk_->read_link(at("file"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("none"), disk_->read_link(at("none"))), ErrorCode::kNotFound);
}

TEST_P(DiskTest, RenameReplacesAFile) {
  write("old", "old");
  write("new", "new");
  ASSERT_TRUE(disk_->rename(at("new"), at("old")).ok());
  EXPECT_EQ(read("old"), "new");
  EXPECT_THAT(disk_->list(root_).value(), ElementsAre("old"));
  ASSERT_TRUE(disk_->rename(at("old"), at("old")).ok());
  EXPECT_EQ(read("old"), "new");
}

TEST_P(DiskTest, RenameMovesADirectoryWithWhatIsInIt) {
  ASSERT_TRUE(disk_->make_dirs(at("step.tmp")).ok());
  write("step.tmp/shard", "rows");
  ASSERT_TRUE(disk_->make_dirs(at("step")).ok());
  ASSERT_TRUE(disk_->rename(at("step.tmp"), at("step")).ok());
  EXPECT_EQ(read("step/shard"), "rows");
  EXPECT_THAT(disk_->list(root_).value(), ElementsAre("step"));
}

TEST_P(DiskTest, RenameRefusesToMixKindsOrToDestroyADirectory) {
  ASSERT_TRUE(disk_->make_dirs(at("full")).ok());
  ASSERT_TRUE(disk_->make_dirs(at("other")).ok());
  write("full/x", "1");
  write("file", "2");
  EXPECT_EQ(code_for(at("full"), disk_->rename(at("file"), at("full"))),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("file"), disk_->rename(at("full"), at("file"))),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("full"), disk_->rename(at("other"), at("full"))),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(read("full/x"), "1");
  EXPECT_EQ(read("file"), "2");
}

TEST_P(DiskTest, RemovesFilesAndEmptyDirectoriesOnly) {
  ASSERT_TRUE(disk_->make_dirs(at("d")).ok());
  write("d/f", "");
  EXPECT_EQ(code_for(at("d"), disk_->remove(at("d"))), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(disk_->remove(at("d/f")).ok());
  EXPECT_TRUE(disk_->remove(at("d")).ok());
  EXPECT_EQ(code_for(at("d"), disk_->remove(at("d"))), ErrorCode::kNotFound);
}

TEST_P(DiskTest, WhatIsMissingIsNotFound) {
  const std::string path = at("no/such");
  std::vector<std::byte> out(1);
  EXPECT_EQ(code_for(path, disk_->open_write(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->open_append(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->read(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->read_range(path, 0, out)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->size(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->list(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->sync_dir(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->free_space(path)), ErrorCode::kNotFound);
  EXPECT_EQ(code_for(path, disk_->rename(path, at("x"))), ErrorCode::kNotFound);
}

TEST_P(DiskTest, FilesAndDirectoriesAreNotMixedUp) {
  write("f", "1");
  EXPECT_EQ(code_for(root_, disk_->read(root_)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(root_, disk_->size(root_)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(root_, disk_->open_write(root_)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("f"), disk_->list(at("f"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("f"), disk_->sync_dir(at("f"))), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_for(at("f"), disk_->read(at("f/x"))), ErrorCode::kInvalidArgument);
}

TEST_P(DiskTest, AnOpenFileOutlivesItsName) {
  const auto file = disk_->open_write(at("a")).value();
  ASSERT_TRUE(disk_->rename(at("a"), at("b")).ok());
  ASSERT_TRUE(file->append(bytes_of("x")).ok());
  EXPECT_EQ(read("b"), "x");
  ASSERT_TRUE(disk_->remove(at("b")).ok());
  EXPECT_TRUE(file->append(bytes_of("y")).ok());
  EXPECT_TRUE(file->close().ok());
}

TEST_P(DiskTest, SyncsDirectoriesAndKnowsItsFreeSpace) {
  EXPECT_TRUE(disk_->sync_dir(root_).ok());
  EXPECT_GT(disk_->free_space(root_).value(), 0U);
}

TEST(RealDisk, AFullDeviceIsAnErrorWithItsPathAndReason) {
  RealDisk disk;
  const auto file = disk.open_append("/dev/full").value();
  const Result<> result = file->append(bytes_of("x"));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(result.error().message(), "cannot write '/dev/full': No space left on device");
}

TEST(RealDisk, ReadingAPipeIsRefusedInsteadOfWaiting) {
  const std::string path = testing::TempDir() + "godwit_pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(code_for(path, RealDisk().read(path)), ErrorCode::kInvalidArgument);
  ::unlink(path.c_str());
}

TEST(RealDisk, ClosesItsDescriptors) {
  const auto open_count = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  RealDisk disk;
  const auto before = open_count();
  const auto file = disk.open_append("/dev/null").value();
  EXPECT_EQ(open_count(), before + 1);
  EXPECT_TRUE(file->close().ok());
  (void)disk.open_append("/dev/null").value();
  (void)disk.sync_dir("/tmp");
  (void)disk.list("/tmp");
  (void)disk.read("/dev/null");
  EXPECT_EQ(open_count(), before);
}

}  // namespace
}  // namespace godwit
