// bench/train_scaling_test.cc: two processes train as one does.
#include "bench/train_scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace godwit {
namespace {

TEST(TrainScaling, ComparesShapesWithTheFirst) {
  const ScalingCase that{
      "mf", "generated:lowrank,rows=200,columns=100,ratings=10000,held_out=500", {"epochs=8"}};
  std::vector<BenchResult> results;
  measure_scaling(that, {.shapes = {{1, 2}, {2, 1}}, .repetitions = 1}, {},
                  [&](const BenchResult& result) { results.push_back(result); })
      .value();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].case_name, "scaling/mf/nodes=1x2");
  EXPECT_EQ(results[1].case_name, "scaling/mf/nodes=2x1");
  EXPECT_EQ(results[0].ratio, 1);
  EXPECT_EQ(results[1].limit, results[0].value);
  EXPECT_THAT(results[1].note, testing::HasSubstr("quality: rmse"));
  const auto figures = [&](std::size_t i) {
    return std::map<std::string, double>(results[i].figures.begin(), results[i].figures.end());
  };
  EXPECT_EQ(figures(0).at("sent_MB"), 0);
  EXPECT_EQ(figures(0).at("local_share"), 1);
  EXPECT_GT(figures(1).at("sent_MB"), 0);
  EXPECT_LT(figures(1).at("local_share"), 1);
  EXPECT_NEAR(figures(1).at("quality"), figures(0).at("quality"), 0.1);
  EXPECT_LT(figures(0).at("quality"), 0.9) << "values have a deviation of 1";
}

TEST(TrainScaling, CasesThatCannotBeRunAreRefused) {
  const auto run = [](const ScalingCase& that, const ScalingOptions& options) {
    return measure_scaling(that, options, {}, [](const BenchResult&) {});
  };
  const ScalingCase good{"mf", "generated:lowrank", {}};
  EXPECT_FALSE(run(good, {.repetitions = 0}).ok());
  EXPECT_FALSE(run(good, {.shapes = {}}).ok());
  EXPECT_FALSE(run({"mf", "generated:graph", {}}, {}).ok());
  EXPECT_FALSE(run({"mf", "generated:lowrank", {"epochs=none"}}, {}).ok());
  EXPECT_FALSE(run({"chess", "generated:lowrank", {}}, {}).ok());
}

}  // namespace
}  // namespace godwit
