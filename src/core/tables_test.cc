// core/tables_test.cc: one name, one table, one memory for all.
#include "core/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace godwit {
namespace {

using testing::HasSubstr;

const TableSpec kSpec{.name = "t", .rows = 100, .row_length = 4};

TEST(Tables, AreFoundByIdAndByNameUntilDropped) {
  Tables tables(1 << 20);
  EXPECT_FALSE(tables.find(kSpec).value().has_value());
  EXPECT_EQ(tables.find(TableId{4}), nullptr);
  const Tables::Entry made = tables.make(TableId{4}, kSpec).value();
  EXPECT_EQ(tables.find(TableId{4}), made.rows);
  EXPECT_EQ(tables.find(kSpec).value()->id, TableId{4});
  tables.drop(TableId{4});
  EXPECT_FALSE(tables.find(kSpec).value().has_value());
  EXPECT_EQ(tables.find(TableId{4}), nullptr);
  EXPECT_TRUE(tables.make(TableId{5}, kSpec).ok()) << "the name is free again";
}

TEST(Tables, ANameWithAnotherSpecIsRefusedWithBothValues) {
  Tables tables(1 << 20);
  ASSERT_TRUE(tables.make(TableId{0}, kSpec).ok());
  const auto refusal = [&](const std::function<void(TableSpec&)>& change) {
    TableSpec spec = kSpec;
    change(spec);
    const auto found = tables.find(spec);
    EXPECT_FALSE(found.ok());
    return found.ok() ? "" : found.error().message();
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
  EXPECT_TRUE(tables.make(TableId{0}, half).ok());
  half.name = "b";
  const auto refused = tables.make(TableId{1}, half);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
  EXPECT_TRUE(tables.make(TableId{1}, kSpec).ok()) << "a smaller one still fits";
}

TEST(Tables, OnlyThisNodesShareIsCounted) {
  const TableSpec spec{.name = "a", .rows = 100'000, .row_length = 15};
  EXPECT_FALSE(Tables(4'000'000).make(TableId{0}, spec).ok());
  EXPECT_TRUE(Tables(4'000'000, 0.25).make(TableId{0}, spec).ok());
}

TEST(Tables, MoreThanTheMachineHasIsRefused) {
  Tables tables(0);
  const auto refused =
      tables.make(TableId{0}, {.name = "huge", .rows = 1ULL << 36, .row_length = 1024});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace godwit
