// sched/slurm_text_test.cc: what is said to Slurm and what it answers.
#include "sched/slurm_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_disk.h"

namespace godwit {
namespace {

using testing::Contains;
using testing::Not;

Cluster four_machines() {
  Cluster cluster;
  cluster.resources = {"cpu"};
  for (const char* name : {"n1", "n2", "n3", "n4"}) cluster.machines.push_back({name, {4}});
  return cluster;
}

LifeOrder order_of(const JobShares& placement) {
  return {.life = {"godwit-ab-7.2", "/state/7/2"},
          .layout = layout_of(placement),
          .command = {"godwit", "train", "mf"},
          .cwd = "/home"};
}

TEST(SlurmText, EqualSharesAreOnePart) {
  const auto words =
      sbatch_arguments(order_of({{0, 2, 0}, {2, 2, 0}}), four_machines(), 2, "/state/7/2/batch");
  EXPECT_THAT(words, Contains("--nodelist=n1,n3"));
  EXPECT_THAT(words, Contains("--ntasks=2"));
  EXPECT_THAT(words, Contains("--cpus-per-task=2"));
  EXPECT_THAT(words, Contains("--job-name=godwit-ab-7.2"));
  EXPECT_THAT(words, Not(Contains(":")));
  EXPECT_EQ(words.back(), "/state/7/2/batch");
  EXPECT_THAT(slurm_spec(order_of({{0, 2, 0}, {2, 2, 0}}), "t").processes[0].command,
              testing::ElementsAre("srun", "--kill-on-bad-exit=1", "godwit", "train", "mf"));
}

TEST(SlurmText, UnequalSharesAreAHeterogeneousJob) {
  const LifeOrder order = order_of({{0, 2, 0}, {1, 1, 0}, {3, 2, 0}});
  const auto words = sbatch_arguments(order, four_machines(), 1, "b");
  const auto colon = std::ranges::find(words, ":");
  ASSERT_NE(colon, words.end());
  EXPECT_NE(std::find(words.begin(), colon, "--nodelist=n1,n4"), colon);
  EXPECT_NE(std::find(words.begin(), colon, "--ntasks=4"), colon);
  EXPECT_NE(std::find(colon, words.end(), "--nodelist=n2"), words.end());
  EXPECT_THAT(slurm_spec(order, "t").processes[0].command, Contains("--het-group=0-1"));
}

TEST(SlurmText, TheScriptBecomesTheRunner) {
  MemoryDisk disk;
  const LifeDir dir(disk, "/a dir/it's");
  EXPECT_EQ(batch_script("/bin/godwit", dir),
            "#!/bin/sh\nexec '/bin/godwit' sched run-job '/a dir/it'\\''s'\n");
}

TEST(SlurmText, SqueueIsReadByName) {
  const auto parts = parse_squeue(
      "godwit-ab-7.2|12+0|RUNNING|n[1,3]|None\ngodwit-ab-7.2|12+1|RUNNING|n2|None\n"
      "other|13|PENDING||Resources\n");
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts->at("godwit-ab-7.2").size(), 2U);
  EXPECT_EQ(parts->at("godwit-ab-7.2")[1].nodes, "n2");
  EXPECT_EQ(parts->at("other")[0].state, "PENDING");
  EXPECT_FALSE(parse_squeue("slurm_load_jobs error").ok());
}

TEST(SlurmText, MachinesThatTakeNoJobsAreAway) {
  const auto up =
      parse_sinfo("n1|idle\nn2|draining\nn3|idle*\nn4|mixed\nn5|drained\nn6|allocated\n");
  ASSERT_TRUE(up.ok());
  EXPECT_EQ(
      *up,
      (std::map<std::string, bool>{
          {"n1", true}, {"n2", false}, {"n3", false}, {"n4", true}, {"n5", false}, {"n6", true}}));
}

}  // namespace
}  // namespace godwit
