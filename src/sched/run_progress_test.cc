// sched/run_progress_test.cc: the last word of a training about itself.
#include "sched/run_progress.h"

#include <gtest/gtest.h>

#include "base/memory_disk.h"
#include "base/replace_file.h"

namespace godwit {
namespace {

TEST(RunProgress, IsTheLastThatWasTold) {
  MemoryDisk disk;
  EXPECT_FALSE(read_progress(disk, "run"));
  ASSERT_TRUE(disk.make_dirs("run/ckpt").ok());
  std::string text = "{\"event\":\"start\"}\n{\"seconds\":1.5,\"done\":0.25,\"loss\":1}\n";
  ASSERT_TRUE(replace_file(disk, "run/metrics.jsonl", text).ok());
  EXPECT_EQ(read_progress(disk, "run"), 0.25);
  text +=
      "{\"seconds\":2,\"rmse\":1}\n{\"seconds\":2,\"done\":0.5}\n{\"split\":\"valid\"}\n{\"done\":"
      "0.9";
  ASSERT_TRUE(replace_file(disk, "run/metrics.jsonl", text).ok());
  EXPECT_EQ(read_progress(disk, "run"), 0.5) << "a line that is not whole does not count";
  text.insert(0, "\n").insert(0, 100'000, 'x');
  ASSERT_TRUE(replace_file(disk, "run/metrics.jsonl", text).ok());
  EXPECT_EQ(read_progress(disk, "run"), 0.5);
  ASSERT_TRUE(replace_file(disk, "run/metrics.jsonl", "nothing\n").ok());
  EXPECT_FALSE(read_progress(disk, "run"));
}

TEST(RunProgress, WhatIsNoNumberIsPassedOver) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_dirs("run").ok());
  ASSERT_TRUE(replace_file(disk, "run/metrics.jsonl", "{\"done\":0.25}\n{\"done\":null}\n").ok());
  EXPECT_EQ(read_progress(disk, "run"), 0.25);
  ASSERT_TRUE(replace_file(disk, "run/metrics.jsonl", "{\"done\":null}\n").ok());
  EXPECT_FALSE(read_progress(disk, "run"));
}

TEST(RunProgress, ACheckpointIsWhatLatestNames) {
  MemoryDisk disk;
  ASSERT_TRUE(disk.make_dirs("run/ckpt").ok());
  EXPECT_FALSE(has_checkpoint(disk, "run"));
  ASSERT_TRUE(replace_file(disk, "run/ckpt/LATEST", "step-1\n").ok());
  EXPECT_TRUE(has_checkpoint(disk, "run"));
}

}  // namespace
}  // namespace godwit
