// launch/host_list_test.cc: lists as Slurm writes them, and what is not one.
#include "launch/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(HostList, RangesAndSinglesAreWrittenOut) {
  EXPECT_THAT(*expand_host_list("n1"), ElementsAre("n1"));
  EXPECT_THAT(*expand_host_list("n[1-3,7]"), ElementsAre("n1", "n2", "n3", "n7"));
  EXPECT_THAT(*expand_host_list("b,a[2-3],c"), ElementsAre("b", "a2", "a3", "c"));
}

TEST(HostList, LeadingZerosKeepTheWidth) {
  EXPECT_THAT(*expand_host_list("n[08-10]"), ElementsAre("n08", "n09", "n10"));
  EXPECT_THAT(*expand_host_list("n[9-10]"), ElementsAre("n9", "n10"));
}

TEST(HostList, NamesMayHaveDashesSuffixesAndSeveralBrackets) {
  EXPECT_THAT(*expand_host_list("gpu-n[1-2]-ib.site"),
              ElementsAre("gpu-n1-ib.site", "gpu-n2-ib.site"));
  EXPECT_THAT(*expand_host_list("r[1-2]n[5,6]"), ElementsAre("r1n5", "r1n6", "r2n5", "r2n6"));
}

TEST(HostList, WhatIsMalformedIsNamed) {
  for (const char* list : {"", ",", "n1,", "n[", "n[1-", "n[1-2", "n]", "n[]", "n[a]", "n[3-1]",
                           "n[1-2-3]", "n[-1]", "n[[1]]", "a b", "n[1-2]]"}) {
    const auto hosts = expand_host_list(list);
    ASSERT_FALSE(hosts.ok()) << list;
    EXPECT_THAT(hosts.error().message(), HasSubstr("'" + std::string(list) + "'"));
  }
}

TEST(HostList, HugeListsAreRefusedBeforeTheyAreWrittenOut) {
  EXPECT_FALSE(expand_host_list("n[0-9223372036854775807]").ok());
  EXPECT_FALSE(expand_host_list("n[1-60000][1-60000]").ok());
  EXPECT_FALSE(expand_host_list("n[1-60000,1-60000]").ok());
  EXPECT_FALSE(expand_host_list("n[1-60000],n[1-60000]").ok());
  EXPECT_EQ(expand_host_list("n[1-65536]")->size(), kHostsMax);
}

}  // namespace
}  // namespace godwit
