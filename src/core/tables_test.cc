// core/tables_test.cc: one name, one table, one memory for all.
#include "core/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace godwit {
namespace {

using testing::HasSubstr;

const TableSpec kSpec{.name = "t", .rows = 100, .row_length = 4};

TEST(Tables, TheSameNameAndSpecIsTheSameTable) {
  Tables tables(1 << 20);
  TableRows* const rows = tables.open(kSpec).value();
  EXPECT_EQ(tables.open(kSpec).value(), rows);
  TableSpec other = kSpec;
  other.name = "u";
  EXPECT_NE(tables.open(other).value(), rows);
}

TEST(Tables, ANameWithAnotherSpecIsRefusedWithBothValues) {
  Tables tables(1 << 20);
  ASSERT_TRUE(tables.open(kSpec).ok());
  const auto refusal = [&](const std::function<void(TableSpec&)>& change) {
    TableSpec spec = kSpec;
    change(spec);
    const auto opened = tables.open(spec);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? "" : opened.error().message();
  };
  EXPECT_THAT(refusal([](TableSpec& s) { s.rows = 7; }), HasSubstr("rows 100 and 7"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.row_length = 7; }), HasSubstr("row_length 4 and 7"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.rule = Rule::sgd(1); }),
              HasSubstr("rule add and sgd:lr=1"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.init = Init::uniform(1); }), HasSubstr("init"));
  EXPECT_THAT(refusal([](TableSpec& s) { s.accept_nonfinite = true; }),
              HasSubstr("accept_nonfinite"));
}

TEST(Tables, TheyShareOneMemory) {
  Tables tables(100'000);
  TableSpec half{.name = "a", .rows = 1000, .row_length = 15};
  EXPECT_TRUE(tables.open(half).ok());
  half.name = "b";
  const auto refused = tables.open(half);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
  EXPECT_TRUE(tables.open(kSpec).ok()) << "a smaller one still fits";
}

TEST(Tables, MoreThanTheMachineHasIsRefused) {
  Tables tables(0);
  const auto refused = tables.open({.name = "huge", .rows = 1ULL << 36, .row_length = 1024});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace godwit
