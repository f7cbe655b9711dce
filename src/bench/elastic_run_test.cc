// bench/elastic_run_test.cc: what trainings by groups leave is understood.
#include "bench/elastic_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

constexpr const char* kMetrics =
    "{\"seconds\":1,\"epoch\":1,\"split\":\"test\",\"accuracy\":0.8}\n"
    "{\"seconds\":3,\"epoch\":2,\"split\":\"test\",\"accuracy\":0.9}\n";
constexpr const char* kHeader =
    "seconds,group,samples,loss_sum,steps,exchanges,exchange_every,exchange_seconds,"
    "train_seconds,longest_step_seconds,sent_bytes\n";

TEST(ElasticRun, AddsUpTheLastWordsOfGroups) {
  const std::string groups = std::string(kHeader) +
                             "0.5,0,100,1,10,2,5,0.1,0.5,0.2,1000\n"
                             "0.5,1,90,1,9,2,5,0.1,0.5,0.2,900\n"
                             "2.5,0,200,1,20,4,5,0.2,2.5,0.2,2000\n"
                             "2.5,1,180,1,18,4,5,0.2,2.5,0.2,1800\n";
  const ElasticRun run = read_elastic_run(kMetrics, groups, "accuracy").value();
  EXPECT_EQ(run.samples, 380);
  EXPECT_EQ(run.steps, 38);
  EXPECT_EQ(run.exchanges, 8);
  EXPECT_EQ(run.sent_bytes, 3800);
  EXPECT_EQ(run.judged_bytes, (std::vector<double>{1900, 3800}));
  EXPECT_NEAR(*seconds_until(run.judged, 0.85, true), 2, 1e-9);
}

TEST(ElasticRun, IsSeenOverTimeAndOverBytes) {
  const ElasticRun run{.judged = {{.seconds = 1, .value = 0.8}, {.seconds = 3, .value = 0.9}},
                       .judged_bytes = {1e6, 1e8}};
  ElasticRun silent = run;
  silent.judged_bytes[0] = 0;
  const std::string svg = elastic_picture(
      {{"sync", "groups=2x4", run}, {"outer", "groups=2x4", silent}, {"sync", "groups=4x2", run}},
      "accuracy");
  EXPECT_EQ(xml_fault(svg), "");
  for (const char* text :
       {"groups=2x4: over time", "groups=2x4: over bytes", "groups=4x2: over time",
        "groups=4x2: over bytes", "seconds", "MB sent to tables", "accuracy on the test split",
        ">sync: 0.9 at 3 seconds<", ">sync: 0.8 at 0 MB sent", ">outer: 0.9 at 2 MB sent"}) {
    EXPECT_THAT(svg, testing::HasSubstr(text));
  }
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("outer: 0.8 at 0 MB")));
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("inf")));
}

TEST(ElasticRun, WhatIsNotUnderstoodIsCorruption) {
  EXPECT_FALSE(read_elastic_run(kMetrics, kHeader, "accuracy").ok());
  EXPECT_FALSE(read_elastic_run(kMetrics, std::string(kHeader) + "1,2\n", "accuracy").ok());
  EXPECT_FALSE(read_elastic_run("", std::string(kHeader), "accuracy").ok());
}

}  // namespace
}  // namespace godwit
