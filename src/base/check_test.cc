// base/check_test.cc: a failed check says where, what and with which values.
#include "base/check.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace godwit {
namespace {

TEST(Check, PassingChecksEvaluateEachArgumentOnce) {
  int calls = 0;
  const auto next = [&] { return ++calls; };
  GODWIT_CHECK(next() == 1);
  GODWIT_CHECK_EQ(next(), 2);
  GODWIT_CHECK_NE(next(), 2);
  GODWIT_CHECK_LT(next(), 5);
  GODWIT_CHECK_LE(next(), 5);
  GODWIT_CHECK_GT(next(), 5);
  GODWIT_CHECK_GE(next(), 7);
  EXPECT_EQ(calls, 7);
}

TEST(Check, IntegersOfDifferentSignsCompareByValue) {
  GODWIT_CHECK_LT(-1, std::uint64_t{1});
  GODWIT_CHECK_NE(-1, ~std::uint64_t{0});
  GODWIT_CHECK_GT(std::uint64_t{1}, -1);
}

TEST(Check, WorksInConstantExpressions) {
  constexpr int kValue = [] {
    GODWIT_CHECK(true);
    GODWIT_CHECK_EQ(1, 1U);
    return 5;
  }();
  EXPECT_EQ(kValue, 5);
}

TEST(CheckDeathTest, PrintsPlaceAndExpression) {
  const bool ready = false;
  EXPECT_DEATH(GODWIT_CHECK(ready && true), "check_test.cc:[0-9]+: check failed: ready && true");
}

TEST(CheckDeathTest, PrintsBothValues) {
  const std::uint64_t rows = 3;
  EXPECT_DEATH(GODWIT_CHECK_EQ(rows, 4), "check_test.cc:[0-9]+: .*rows == 4 \\(3 vs 4\\)");
  EXPECT_DEATH(GODWIT_CHECK_NE(rows, 3U), "rows != 3U \\(3 vs 3\\)");
  EXPECT_DEATH(GODWIT_CHECK_LT(rows, -1), "rows < -1 \\(3 vs -1\\)");
  EXPECT_DEATH(GODWIT_CHECK_LE(rows, 2), "rows <= 2 \\(3 vs 2\\)");
  EXPECT_DEATH(GODWIT_CHECK_GT(rows, 3), "rows > 3 \\(3 vs 3\\)");
  EXPECT_DEATH(GODWIT_CHECK_GE(rows, 4), "rows >= 4 \\(3 vs 4\\)");
}

enum class Colour { kRed, kBlue };
struct Opaque {
  int value = 0;
  bool operator==(const Opaque&) const = default;
};

TEST(CheckDeathTest, PrintsWhateverHasAText) {
  EXPECT_DEATH(GODWIT_CHECK_EQ(std::string("a"), "b"), "\\(a vs b\\)");
  EXPECT_DEATH(GODWIT_CHECK_EQ(Tick(4), Tick(5)), "\\(4 vs 5\\)");
  EXPECT_DEATH(GODWIT_CHECK_EQ(Colour::kRed, Colour::kBlue), "\\(0 vs 1\\)");
  EXPECT_DEATH(GODWIT_CHECK_EQ(Opaque{1}, Opaque{2}), "no text form");
  EXPECT_DEATH(GODWIT_CHECK_LT(Duration(2000), Duration(5)), "\\(2 us vs 5 ns\\)");
  const int here = 0;
  const int* none = nullptr;
  EXPECT_DEATH(GODWIT_CHECK_EQ(&here, none), "\\(0x[0-9a-f]+ vs 0x0\\)");
  EXPECT_DEATH(GODWIT_CHECK_NE(none, nullptr), "\\(0x0 vs nullptr\\)");
}

}  // namespace
}  // namespace godwit
