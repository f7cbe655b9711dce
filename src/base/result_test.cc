// base/result_test.cc: Result, Error and GODWIT_TRY.
#include "godwit/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

TEST(ErrorCode, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCorruption); ++code) {
    names.insert(to_string(static_cast<ErrorCode>(code)));
  }
  EXPECT_EQ(names.size(), 7U);
  EXPECT_EQ(names.count("unknown error code"), 0U);
  EXPECT_EQ(to_string(ErrorCode::kOutOfMemory), "out of memory");
}

TEST(Error, ContextIsPutInFront) {
  const Error error = not_found("row {}", 7).in_context("table 'users'").in_context("pull");
  EXPECT_EQ(error.message(), "pull: table 'users': row 7");
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
}

TEST(Result, HoldsAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(4);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 4);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 4);
}

TEST(ResultDeathTest, ValueOfAFailureDiesWithTheError) {
  const Result<int> failed = unavailable("node 2 is away");
  EXPECT_DEATH((void)failed.value(), "unavailable: node 2 is away");
  const Result<> nothing = timeout("after 5 s");
  EXPECT_DEATH(nothing.value(), "timeout: after 5 s");
}

TEST(ResultDeathTest, ErrorOfASuccessDies) {
  const Result<int> good = 1;
  EXPECT_DEATH((void)good.error(), "holds a value");
}

Result<int> half_of(int value) {
  if (value % 2 != 0) return invalid_argument("{} is odd", value);
  return value / 2;
}

Result<std::string> quarter_of(int value, int& steps) {
  GODWIT_TRY_ASSIGN(const int half, half_of(value));
  ++steps;
  int quarter = 0;
  GODWIT_TRY_ASSIGN(quarter, half_of(half));
  ++steps;
  GODWIT_TRY([&]() -> Result<> {
    GODWIT_TRY(half_of(quarter));
    return {};
  }());
  ++steps;
  return std::to_string(quarter);
}

TEST(Try, HandsOnTheFirstErrorAndStopsThere) {
  int steps = 0;
  EXPECT_EQ(quarter_of(8, steps).value(), "2");
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(quarter_of(7, steps = 0).error().message(), "7 is odd");
  EXPECT_EQ(steps, 0);
  EXPECT_EQ(quarter_of(6, steps = 0).error().message(), "3 is odd");
  EXPECT_EQ(steps, 1);
  EXPECT_EQ(quarter_of(4, steps = 0).error().message(), "1 is odd");
  EXPECT_EQ(steps, 2);
}

}  // namespace
}  // namespace godwit
