// sim/pace_contender_test.cc: names that are known, and that each of them learns.
#include "sim/pace_contender.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/pace_study.h"

namespace godwit::sim {
namespace {

TEST(PaceContender, NamesAreKnown) {
  for (const PaceContenderName& known : pace_contender_names()) {
    EXPECT_TRUE(is_pace_contender(known.name, {})) << known.name;
    EXPECT_FALSE(known.text.empty());
  }
  EXPECT_TRUE(is_pace_contender("fixed:1", {}));
  EXPECT_TRUE(is_pace_contender("fixed:50", {}));
  for (const char* name : {"fixed:0", "fixed:51", "fixed:", "fixed", "fixed:2x", "automatic", ""}) {
    EXPECT_FALSE(is_pace_contender(name, {})) << name;
  }
}

TEST(PaceContender, EachLearns) {
  const PaceStudyOptions options{
      .run = {.workers = 10, .full_load = 20}, .dimension_max = 20, .samples_max = 1000};
  PaceStudy study(options);
  for (const PaceContenderName& known : pace_contender_names()) {
    const PaceOutcome outcome = study.run(*find_pace_law("J"), known.name, 1);
    ASSERT_TRUE(outcome.reached[0]) << known.name;
    EXPECT_GT(outcome.reached[0]->seconds, 0);
  }
  EXPECT_TRUE(study.run(*find_pace_law("J"), "fixed:8", 1).reached[2]);
}

}  // namespace
}  // namespace godwit::sim
