// net/short_spin_test.cc: when spinning is tried.
#include "net/short_spin.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

int tried_of(ShortSpin& spin, int times, bool pays) {
  int tried = 0;
  for (int i = 0; i < times; ++i) {
    if (!spin.is_worth_it()) continue;
    ++tried;
    spin.tell(pays);
  }
  return tried;
}

TEST(ShortSpin, IsAlwaysTriedWhileItPays) {
  ShortSpin spin;
  EXPECT_EQ(tried_of(spin, 1000, true), 1000);
}

TEST(ShortSpin, IsHardlyEverTriedWhereItDoesNotPay) {
  ShortSpin spin;
  const int tried = tried_of(spin, 10'000, false);
  EXPECT_GE(tried, 10'000 / 129);
  EXPECT_LE(tried, 100);
}

TEST(ShortSpin, IsTriedAtOnceAgainWhenItPaidOnce) {
  ShortSpin spin;
  tried_of(spin, 10'000, false);
  while (!spin.is_worth_it()) {
  }
  spin.tell(true);
  EXPECT_EQ(tried_of(spin, 10, true), 10);
}

}  // namespace
}  // namespace godwit
