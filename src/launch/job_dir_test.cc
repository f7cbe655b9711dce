// launch/job_dir_test.cc: who may enter, and what is left behind.
#include "launch/job_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

TEST(JobDir, IsPrivateAndGoneAtTheEnd) {
  std::optional<JobDir> dir(JobDir::make("/tmp").value());
  const std::string path = dir->path();
  EXPECT_EQ(mode_of(path), 0700U);
  std::ofstream(path + "/rendezvous") << "x";
  dir.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(JobDir, AMovedOneIsRemovedOnce) {
  JobDir dir = JobDir::make("/tmp").value();
  const std::string path = dir.path();
  {
    const JobDir taken = std::move(dir);
    EXPECT_EQ(taken.path(), path);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(JobDir, AMissingParentIsNamed) {
  const auto dir = JobDir::make("/nowhere/at/all");
  ASSERT_FALSE(dir.ok());
  EXPECT_THAT(dir.error().message(), HasSubstr("/nowhere/at/all"));
  EXPECT_THAT(dir.error().message(), HasSubstr("TMPDIR"));
}

TEST(JobDir, TheTemporaryDirIsShortAndAbsolute) {
  EXPECT_EQ(temporary_dir(""), "/tmp");
  EXPECT_EQ(temporary_dir("/var/tmp//"), "/var/tmp");
  EXPECT_EQ(temporary_dir("relative"), "/tmp");
  EXPECT_EQ(temporary_dir("/" + std::string(80, 'x')), "/tmp");
  EXPECT_EQ(temporary_dir("/"), "/tmp");
}

TEST(SocketDir, AllNodesOfAJobMayMakeIt) {
  const JobDir parent = JobDir::make("/tmp").value();
  const std::string dir = parent.path() + "/job";
  {
    const SocketDir made = SocketDir::make(dir).value();
    { const SocketDir found = SocketDir::make(dir).value(); }
    EXPECT_EQ(mode_of(dir), 0700U);
  }
  EXPECT_FALSE(std::filesystem::exists(dir));
}

TEST(SocketDir, StaysWhileSomethingIsInIt) {
  const JobDir parent = JobDir::make("/tmp").value();
  const std::string dir = parent.path() + "/job";
  {
    const SocketDir made = SocketDir::make(dir).value();
    std::ofstream(dir + "/file") << "x";
  }
  EXPECT_TRUE(std::filesystem::exists(dir + "/file"));
}

TEST(SocketDir, WhatOthersCouldEnterIsRefused) {
  const JobDir parent = JobDir::make("/tmp").value();
  const std::string open_dir = parent.path() + "/open";
  ASSERT_EQ(mkdir(open_dir.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open_dir.c_str(), 0755), 0);
  const auto refused = SocketDir::make(open_dir);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);

  const std::string link = parent.path() + "/link";
  ASSERT_EQ(symlink(parent.path().c_str(), link.c_str()), 0);
  EXPECT_FALSE(SocketDir::make(link).ok());
  EXPECT_EQ(SocketDir::make(parent.path() + "/no/such").error().code(), ErrorCode::kUnavailable);
}

TEST(RandomHex, HasTheLengthAndDiffers) {
  EXPECT_THAT(random_hex(16), MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(random_hex(16).size(), 32U);
  EXPECT_NE(random_hex(16), random_hex(16));
}

}  // namespace
}  // namespace godwit
