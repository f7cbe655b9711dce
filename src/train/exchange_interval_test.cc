// train/exchange_interval_test.cc: exchanging takes its share of the time and no more.
#include "train/exchange_interval.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(ExchangeInterval, ExchangingComesToATenthOfTheTimeAtMost) {
  ExchangeInterval interval(std::nullopt);
  double exchanging = 0;
  double all = 0;
  for (int i = 0; i < 100; ++i) {
    for (std::int64_t step = 0; step < interval.steps(); ++step) {
      interval.on_step(0.002);
      all += i < 10 ? 0 : 0.002;
    }
    interval.on_exchange(0.02);
    exchanging += i < 10 ? 0 : 0.02;
  }
  EXPECT_NEAR(static_cast<double>(interval.steps()), 115, 1);
  EXPECT_LE(exchanging / (all + exchanging), 0.1);
}

TEST(ExchangeInterval, OneSlowExchangeChangesLittle) {
  ExchangeInterval interval(std::nullopt);
  for (int i = 0; i < 20; ++i) {
    interval.on_step(0.01);
    interval.on_exchange(0.004);
  }
  EXPECT_EQ(interval.steps(), 5);
  interval.on_exchange(3);
  EXPECT_EQ(interval.steps(), 5);
}

TEST(ExchangeInterval, GrowsByDegreesAndNotForEver) {
  ExchangeInterval interval(std::nullopt);
  interval.on_step(0.001);
  interval.on_exchange(1);
  EXPECT_EQ(interval.steps(), 4);
  for (int i = 0; i < 10; ++i) interval.on_exchange(1);
  EXPECT_EQ(interval.steps(), ExchangeInterval::kStepsMax);
}

TEST(ExchangeInterval, IsWhatWasAskedForIfItWas) {
  ExchangeInterval interval(8);
  interval.on_step(0.001);
  interval.on_exchange(1);
  EXPECT_EQ(interval.steps(), 8);
}

}  // namespace
}  // namespace godwit
