// store/rule_test.cc: text to rule and back, and what is refused.
#include "godwit/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace godwit {
namespace {

TEST(Rule, TextAndBack) {
  for (const Rule& rule :
       {Rule::add(), Rule::sgd(0.5F), Rule::momentum(0.1F, 0.8F), Rule::adagrad(0.25F),
        Rule::adam(0.001F), Rule::elastic(0.5F), Rule::outer(0.7F, 0.25F)}) {
    EXPECT_EQ(Rule::parse(to_string(rule)).value(), rule) << to_string(rule);
  }
}

TEST(Rule, LeftOutParametersTakeDefaults) {
  EXPECT_EQ(Rule::parse("adam:lr=0.1").value(), Rule::adam(0.1F));
  EXPECT_EQ(Rule::parse("momentum:mu=0.5,lr=2").value(), Rule::momentum(2, 0.5F));
}

TEST(Rule, BadTextSaysWhatIsKnown) {
  const auto message = [](std::string_view text) {
    const auto rule = Rule::parse(text);
    EXPECT_FALSE(rule.ok()) << text;
    EXPECT_EQ(rule.error().code(), ErrorCode::kInvalidArgument);
    return rule.error().message();
  };
  EXPECT_THAT(message("lion:lr=1"), testing::HasSubstr("unknown rule 'lion' (known: add, sgd"));
  EXPECT_THAT(message(""), testing::HasSubstr("unknown rule ''"));
  EXPECT_THAT(message("sgd"), testing::HasSubstr("needs its learning rate"));
  EXPECT_THAT(message("sgd:lr=1,mu=2"), testing::HasSubstr("no parameter 'mu' (known: lr)"));
  EXPECT_THAT(message("add:lr=1"), testing::HasSubstr("(known: none)"));
  EXPECT_THAT(message("sgd:lr=fast"), testing::HasSubstr("'lr=fast'"));
  EXPECT_THAT(message("sgd:lr"), testing::HasSubstr("name=number"));
  EXPECT_THAT(message("sgd:lr=-1"), testing::HasSubstr("lr is -1"));
  EXPECT_THAT(message("adam:lr=1,beta2=1"),
              testing::HasSubstr("beta2 is 1, but must be in [0, 1)"));
}

TEST(Rule, ParametersMustBeFinite) {
  EXPECT_FALSE(Rule::sgd(std::numeric_limits<float>::infinity()).validate().ok());
  EXPECT_FALSE(Rule::adagrad(0.1F, std::numeric_limits<float>::quiet_NaN()).validate().ok());
  EXPECT_FALSE(Rule{.kind = static_cast<RuleKind>(77)}.validate().ok());
}

TEST(Rule, OnlySumsAreAdditive) {
  EXPECT_TRUE(Rule::add().additive());
  EXPECT_TRUE(Rule::sgd(1).additive());
  EXPECT_TRUE(Rule::adagrad(1).additive());
  EXPECT_FALSE(Rule::momentum(1).additive());
  EXPECT_FALSE(Rule::adam(1).additive());
  EXPECT_FALSE(Rule::elastic().additive());
  EXPECT_FALSE(Rule::outer(1).additive());
}

}  // namespace
}  // namespace godwit
