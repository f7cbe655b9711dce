// core/tick_log_test.cc: a worker sees its own changes; the log has them in order.
#include "core/tick_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/tables.h"

namespace godwit {
namespace {

using testing::ElementsAre;

class TickLogTest : public testing::Test {
 protected:
  std::vector<float> seen(Key key, std::vector<float> row) {
    log_.apply_to({&key, 1}, row);
    return row;
  }
  void push(Key key, float gradient) { log_.push({&key, 1}, {&gradient, 1}); }
  void set(Key key, float value, bool reset) { log_.set({&key, 1}, {&value, 1}, reset); }
  // "push 3:1 4:2; add ..."
  std::string text() {
    std::string text;
    log_.for_each_run([&](PushMode mode, std::span<const Key> keys, std::span<const float> floats) {
      text += std::to_string(static_cast<int>(mode)) + ":";
      for (const Key key : keys) text += " " + std::to_string(key);
      for (const float value : floats) text += " " + std::to_string(static_cast<int>(value));
      text += "; ";
    });
    return text;
  }

  Tables tables_{std::uint64_t{1} << 24};
  TableRows* rows_ =
      tables_
          .make(TableId{1},
                {.name = "t", .rows = 8, .row_length = 1, .rule = Rule::momentum(1, 0.5F)})
          ->rows;
  TickLog log_{*rows_};
};

TEST_F(TickLogTest, OwnChangesAreAppliedInOrderByTheRule) {
  push(3, 2);
  push(3, 4);
  EXPECT_THAT(seen(3, {10, 0}), ElementsAre(10 - 2 - 5, 5));
  EXPECT_THAT(seen(4, {10, 0}), ElementsAre(10, 0));
  set(3, 7, false);
  EXPECT_THAT(seen(3, {10, 0}), ElementsAre(7, 5));
  set(3, 8, true);
  EXPECT_THAT(seen(3, {10, 0}), ElementsAre(8, 0));
}

TEST_F(TickLogTest, ChangesOfOneModeMakeOneRun) {
  push(3, 2);
  push(4, 4);
  set(3, 7, false);
  push(3, 1);
  EXPECT_EQ(text(), "0: 3 4 2 4; 1: 3 7; 0: 3 1; ");
  log_.clear();
  EXPECT_TRUE(log_.is_empty());
  EXPECT_EQ(text(), "");
  EXPECT_THAT(seen(3, {10, 0}), ElementsAre(10, 0));
}

TEST_F(TickLogTest, WhatIsWrittenInPlaceIsLoggedBeforeWhatComesAfter) {
  push(3, 2);
  float* const view = log_.make_view(3, std::vector<float>{10, 0});
  EXPECT_EQ(view, log_.view(3));
  EXPECT_EQ(view[0], 8);
  view[0] += 30;
  EXPECT_THAT(seen(3, {10, 0}), ElementsAre(38, 2));
  push(3, 1);
  EXPECT_EQ(view[0], 38 - 2);
  view[1] += 5;
  log_.settle();
  log_.settle();
  EXPECT_EQ(text(), "0: 3 2; 3: 3 30 0; 0: 3 1; 3: 3 0 5; ");
}

TEST_F(TickLogTest, RowsWrittenInPlaceAreLoggedInTheOrderOfTheirKeys) {
  for (const Key key : {6, 1, 4}) log_.make_view(key, std::vector<float>{0, 0})[0] = 1;
  log_.make_view(2, std::vector<float>{0, 0});
  log_.settle();
  EXPECT_EQ(text(), "3: 1 4 6 1 0 1 0 1 0; ");
}

TEST_F(TickLogTest, AfterATickThereIsNoViewOfTheRow) {
  log_.make_view(3, std::vector<float>{1, 0})[0] = 2;
  log_.settle();
  log_.clear();
  EXPECT_EQ(log_.view(3), nullptr);
  EXPECT_EQ(log_.make_view(3, std::vector<float>{5, 0})[0], 5);
}

}  // namespace
}  // namespace godwit
