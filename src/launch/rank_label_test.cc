// launch/rank_label_test.cc: lines as Open MPI 4.1.4, MPICH 4.0.2 and Slurm 22.05 label them.
#include "launch/rank_label.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace godwit {
namespace {

std::string split(RankLabel label, std::string_view line) {
  const auto labelled = split_rank_label(label, line);
  return labelled ? fmt::format("{}|{}", labelled->rank, labelled->text) : "none";
}

TEST(RankLabel, EachLauncherHasItsOwn) {
  EXPECT_EQ(split(RankLabel::kOpenMpi, "[1,12]<stdout>:hello: you"), "12|hello: you");
  EXPECT_EQ(split(RankLabel::kOpenMpi, "[1,0]<stderr>:"), "0|");
  EXPECT_EQ(split(RankLabel::kMpich, "[3] [4] x"), "3|[4] x");
  EXPECT_EQ(split(RankLabel::kSlurm, " 7: 8: x"), "7|8: x");
}

TEST(RankLabel, WhatTheLauncherItselfWritesHasNone) {
  EXPECT_EQ(split(RankLabel::kOpenMpi, "mpirun noticed that process rank 1 ended"), "none");
  EXPECT_EQ(split(RankLabel::kOpenMpi, "[1,2]<stdin>:x"), "none");
  EXPECT_EQ(split(RankLabel::kOpenMpi, "[host:12] x"), "none");
  EXPECT_EQ(split(RankLabel::kMpich, "[proxy:0:0@vm] x"), "none");
  EXPECT_EQ(split(RankLabel::kSlurm, "srun: error: n1: task 1: Killed"), "none");
  EXPECT_EQ(split(RankLabel::kNone, "[1,2]<stdout>:x"), "none");
  for (const RankLabel label : {RankLabel::kOpenMpi, RankLabel::kMpich, RankLabel::kSlurm}) {
    for (const std::string_view line :
         {"", " ", "[", "[]", "[1", "[1,", "[1,2]", "1", "1:", "[99999999999999999999] x"}) {
      EXPECT_EQ(split(label, line), "none") << line;
    }
  }
}

}  // namespace
}  // namespace godwit
