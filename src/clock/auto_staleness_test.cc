// clock/auto_staleness_test.cc: where it comes to rest, by how waits and objectives answer to it.
#include "clock/auto_staleness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

namespace godwit {
namespace {

using Window = AutoStaleness::Window;

// Windows of half a second; how often each staleness was in force.
std::map<std::int64_t, int> run(AutoStaleness& that, int windows,
                                const std::function<Window(std::int64_t)>& window_of) {
  std::map<std::int64_t, int> times;
  for (int i = 0; i < windows; ++i) {
    ++times[that.staleness()];
    that.note(window_of(that.staleness()));
  }
  return times;
}

TEST(AutoStaleness, RisesUntilLittleIsWaited) {
  AutoStaleness that;
  const auto times = run(that, 40, [](std::int64_t s) {
    return Window{.seconds = 0.5,
                  .wait_share = s >= 8   ? 0.02
                                : s >= 4 ? 0.06
                                         : 0.4 / static_cast<double>(1 + s)};
  });
  EXPECT_EQ(that.staleness(), 4);
  EXPECT_EQ(times.at(1), 1);
  EXPECT_EQ(times.at(2), 1);
  EXPECT_EQ(times.at(4), 38);
}

TEST(AutoStaleness, StaysWhereMoreDoesNotHelp) {
  AutoStaleness that;
  const auto times =
      run(that, 100, [](std::int64_t) { return Window{.seconds = 0.5, .wait_share = 0.27}; });
  EXPECT_EQ(that.staleness(), 1);
  EXPECT_GT(times.at(1), 70);
}

TEST(AutoStaleness, StaysWhereNobodyWaits) {
  AutoStaleness that;
  run(that, 20, [](std::int64_t) { return Window{.seconds = 0.5, .wait_share = 0.05}; });
  EXPECT_EQ(that.staleness(), AutoStaleness::kFirst);
}

TEST(AutoStaleness, IsTakenBackWhereItSlowsProgressDown) {
  AutoStaleness that;
  double objective = 1;
  const auto times = run(that, 60, [&](std::int64_t s) {
    objective *= s > 1 ? 0.99 : 0.94;
    return Window{
        .seconds = 0.5, .wait_share = 0.4 / static_cast<double>(s), .objective = objective};
  });
  EXPECT_GT(times.at(1), 35);
  EXPECT_EQ(times.count(8), 0U);
}

TEST(AutoStaleness, FallsWhenResultsGetWorse) {
  AutoStaleness that;
  run(that, 3,
      [](std::int64_t) { return Window{.seconds = 0.5, .wait_share = 0.5, .objective = {}}; });
  double objective = 1;
  run(that, 6, [&](std::int64_t) {
    objective *= 1.2;
    return Window{.seconds = 0.5, .wait_share = 0.05, .objective = objective};
  });
  EXPECT_EQ(that.staleness(), 0);
}

TEST(AutoStaleness, HasAnEnd) {
  AutoStaleness that;
  run(that, 20, [](std::int64_t s) {
    return Window{.seconds = 0.5, .wait_share = 0.9 / std::sqrt(static_cast<double>(s))};
  });
  EXPECT_EQ(that.staleness(), AutoStaleness::kMax);
}

TEST(AutoStaleness, GoesByWaitsAloneIfNobodySaysHowGoodItIs) {
  AutoStaleness that;
  run(that, 6, [](std::int64_t s) {
    return Window{.seconds = 0.5, .wait_share = 0.3 / static_cast<double>(s), .objective = -1.0};
  });
  EXPECT_EQ(that.staleness(), 4);
}

}  // namespace
}  // namespace godwit
