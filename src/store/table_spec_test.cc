// store/table_spec_test.cc: every bad spec is refused with the field, its value and its limit.
#include "godwit/table_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace godwit {
namespace {

const TableSpec kGood{.name = "users.v1-a_b", .rows = 10, .row_length = 4};

std::string refusal(const std::function<void(TableSpec&)>& spoil) {
  TableSpec spec = kGood;
  spoil(spec);
  const auto result = spec.validate();
  EXPECT_FALSE(result.ok());
  if (result.ok()) return "";
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
  return result.error().message();
}

TEST(TableSpec, AGoodOneIsAccepted) {
  EXPECT_TRUE(kGood.validate().ok());
  TableSpec unbounded = kGood;
  unbounded.rows = kUnbounded;
  EXPECT_TRUE(unbounded.validate().ok());
}

TEST(TableSpec, BadOnesNameTheFieldAndItsLimit) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal([](TableSpec& s) { s.name = ""; }), HasSubstr("needs a name"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.name = "a b"; }), HasSubstr("'a b'"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.name.assign(200, 'x'); }), HasSubstr("200 letters"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.rows = 0; }), HasSubstr("rows is 0"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.rows = kUnbounded - 1; }), HasSubstr("must be 1 to"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.row_length = 0; }),
              HasSubstr("table 'users.v1-a_b': row_length is 0"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.row_length = 1U << 30; }), HasSubstr("1 to 16777216"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.rule.kind = static_cast<RuleKind>(9); }),
              HasSubstr("unknown kind 9"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.init = Init::uniform(-1); }), HasSubstr("scale is -1"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.init.scale = std::numeric_limits<float>::quiet_NaN(); }),
              HasSubstr("finite"));
  EXPECT_THAT(refusal([](TableSpec& s) {
                s.consistency = {.kind = ConsistencyKind::kSsp, .staleness = -1};
              }),
              HasSubstr("staleness is -1"));
  EXPECT_THAT(refusal([](TableSpec& s) {
                s.consistency = {.kind = ConsistencyKind::kSsp, .staleness = 2};
                s.codec = Codec::kInt8;
              }),
              HasSubstr("codec int8 needs consistency async, but it is ssp:2"));
}

TEST(Consistency, TextAndBack) {
  for (const char* text : {"async", "ssp:0", "ssp:12", "bsp", "auto"}) {
    EXPECT_EQ(to_string(Consistency::parse(text).value()), text);
  }
}

TEST(Consistency, BadTextIsRefused) {
  for (const char* text : {"", "ssp", "ssp:", "ssp:-1", "ssp:1x", "BSP"}) {
    EXPECT_FALSE(Consistency::parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace godwit
