// data/generated_test.cc: keys reach their fields; others are refused with the nearest.
#include "data/generated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const char* text) {
  const auto result = parse_generated(text);
  return result.ok() ? "accepted" : result.error().message();
}

TEST(Generated, KeysReachTheirFields) {
  const auto matrix = std::get<LowRankSpec>(
      parse_generated("generated:lowrank,rows=100000,columns=2e4,zipf=1.1,mean=-3,seed=7").value());
  EXPECT_EQ(matrix.rows, 100'000U);
  EXPECT_EQ(matrix.columns, 20'000U);
  EXPECT_EQ(matrix.zipf, 1.1);
  EXPECT_EQ(matrix.mean, -3);
  EXPECT_EQ(matrix.seed, 7U);
  EXPECT_EQ(matrix.rank, LowRankSpec{}.rank);
  EXPECT_EQ(std::get<ZipfGraphSpec>(parse_generated("generated:graph,blocks=10").value()).blocks,
            10U);
  EXPECT_EQ(std::get<PlantedCtrSpec>(parse_generated("generated:ctr,rate=0.1").value()).rate, 0.1);
  EXPECT_EQ(
      std::get<SparseLinearSpec>(parse_generated("generated:linear,per_row=5").value()).per_row,
      5U);
}

TEST(Generated, WhatIsUnknownIsRefusedWithTheNearest) {
  EXPECT_THAT(refusal("generated:lowrnk"), HasSubstr("did you mean 'lowrank'"));
  EXPECT_THAT(refusal("generated:lowrank,colums=3"),
              AllOf(HasSubstr("no key 'colums'"), HasSubstr("did you mean 'columns'")));
  EXPECT_THAT(refusal("generated:lowrank,rows"), HasSubstr("key=value"));
  EXPECT_THAT(refusal("generated:lowrank,rows=1.5"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("generated:lowrank,rows=1e10"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("generated:lowrank,rows=-1"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("generated:lowrank,noise=x"), HasSubstr("noise is 'x'"));
  EXPECT_THAT(refusal("generated:lowrank,rows=1,rows=2"), HasSubstr("twice"));
  EXPECT_THAT(refusal("generated:lowrank,rows=0"), HasSubstr("0 x 2000"));
  EXPECT_THAT(refusal("generated:"), HasSubstr("kinds are"));
}

}  // namespace
}  // namespace godwit
