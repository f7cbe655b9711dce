// bench/staleness_case_test.cc: names, and what cannot be run.
#include "bench/staleness_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(StalenessModel, HasAName) {
  for (const StalenessModel model : {StalenessModel::kMf, StalenessModel::kLda}) {
    EXPECT_EQ(parse_staleness_model(to_string(model)).value(), model);
  }
  for (const char* name : {"kge", "", "MF", "mf "}) {
    const auto refused = parse_staleness_model(name);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_THAT(refused.error().message(), HasSubstr("neither mf nor lda"));
  }
}

TEST(StalenessModel, ALowerLossIsABetterQuality) {
  EXPECT_DOUBLE_EQ(quality_of(StalenessModel::kMf, 0.04), 0.2);
  EXPECT_DOUBLE_EQ(quality_of(StalenessModel::kLda, 4.5), -4.5);
  for (const StalenessModel model : {StalenessModel::kMf, StalenessModel::kLda}) {
    EXPECT_DOUBLE_EQ(quality_of(model, loss_of(model, quality_of(model, 0.3))),
                     quality_of(model, 0.3));
  }
}

TEST(StalenessCase, HasANameThatTellsAllOfIt) {
  StalenessCase that = StalenessCase::usual(StalenessModel::kLda);
  that.straggler = Straggler::kPermanent;
  that.consistency = Consistency::parse("ssp:4").value();
  EXPECT_EQ(to_string(that), "lda/permanent/nodes=2x4/step=4ms/ssp:4");
  EXPECT_EQ(setting_of(that), "lda/permanent/nodes=2x4/step=4ms");
  that.model = StalenessModel::kMf;
  EXPECT_EQ(to_string(that), "mf/permanent/nodes=2x4/step=4ms/ssp:4");
}

TEST(StalenessCase, SenselessNumbersAreRefused) {
  for (const StalenessModel model : {StalenessModel::kMf, StalenessModel::kLda}) {
    EXPECT_TRUE(StalenessCase::usual(model).validate().ok());
    StalenessCase that = StalenessCase::usual(model);
    that.batch = 0;
    EXPECT_FALSE(that.validate().ok());
    that = StalenessCase::usual(model);
    that.step_ms = -1;
    EXPECT_THAT(that.validate().error().message(), HasSubstr("0 to 1000"));
    that = StalenessCase::usual(model);
    that.ticks = 1'000'000;
    EXPECT_THAT(that.validate().error().message(), HasSubstr("20000 batches"));
  }
}

}  // namespace
}  // namespace godwit
