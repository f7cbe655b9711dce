// clock/auto_staleness_test.cc: where it comes to rest, by how waits and objectives answer to it.
#include "clock/auto_staleness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "base/prng.h"

namespace godwit {
namespace {

using Window = AutoStaleness::Window;

// How often each staleness was in force.
std::map<std::int64_t, int> run(AutoStaleness& that, int windows,
                                const std::function<Window(std::int64_t)>& window_of) {
  std::map<std::int64_t, int> times;
  for (int i = 0; i < windows; ++i) {
    ++times[that.staleness()];
    that.note(window_of(that.staleness()));
  }
  return times;
}

// Windows in which a few slow ticks decide: what is waited varies by a third.
double noisy(double wait_share, Prng& prng) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += prng.uniform();
  return std::max(0.0, wait_share * (1 + (sum - 6) / 3));
}

double waits_of_passing_slowness(std::int64_t s) {
  constexpr std::array kWaits{0.33, 0.26, 0.20, 0.16, 0.12};
  if (s < 5) return kWaits[static_cast<std::size_t>(s)];
  return s < 8 ? 0.09 : s < 16 ? 0.07 : 0.04;
}

TEST(AutoStaleness, RisesAtOnceUntilLittleIsWaited) {
  AutoStaleness that;
  const auto times = run(that, 9, [](std::int64_t s) {
    return Window{.seconds = 0.2, .wait_share = waits_of_passing_slowness(s)};
  });
  EXPECT_EQ(that.staleness(), 16);
  EXPECT_EQ(times.at(1), 1);
  EXPECT_EQ(times.at(2), 1);
  EXPECT_EQ(times.at(4), 1);
}

TEST(AutoStaleness, StaysHighWhereThatHelps) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    AutoStaleness that;
    Prng prng(seed);
    const auto times = run(that, 300, [&](std::int64_t s) {
      return Window{.seconds = 0.2, .wait_share = noisy(waits_of_passing_slowness(s), prng)};
    });
    int low = 0;
    for (const auto& [staleness, count] : times) low += staleness < 4 ? count : 0;
    EXPECT_LT(low, 60) << "seed " << seed;
  }
}

// Who may run further ahead does so first, and waits only then.
TEST(AutoStaleness, StaysLowWhereMoreDoesNotHelp) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    AutoStaleness that;
    Prng prng(seed);
    std::int64_t before = 1;
    const auto times = run(that, 600, [&](std::int64_t s) {
      const auto ahead = static_cast<double>(s - std::exchange(before, s));
      const double share = noisy(0.27, prng) * std::max(0.0, 1 - ahead / 10);
      return Window{.seconds = 0.2, .wait_share = share};
    });
    int high = 0;
    for (const auto& [staleness, count] : times) high += staleness > 4 ? count : 0;
    EXPECT_LT(high, 200) << "seed " << seed;
  }
}

TEST(AutoStaleness, StaysWhereNobodyWaits) {
  AutoStaleness that;
  run(that, 20, [](std::int64_t) { return Window{.seconds = 0.2, .wait_share = 0.05}; });
  EXPECT_EQ(that.staleness(), AutoStaleness::kFirst);
}

TEST(AutoStaleness, FallsWhenSlownessIsOver) {
  AutoStaleness that;
  run(that, 10, [](std::int64_t s) {
    return Window{.seconds = 0.2, .wait_share = waits_of_passing_slowness(s)};
  });
  EXPECT_EQ(that.staleness(), 16);
  run(that, 150, [](std::int64_t) { return Window{.seconds = 0.2, .wait_share = 0.01}; });
  EXPECT_EQ(that.staleness(), AutoStaleness::kFirst);
}

TEST(AutoStaleness, IsTakenBackWhereItSlowsProgressDown) {
  AutoStaleness that;
  double objective = 1;
  const auto times = run(that, 60, [&](std::int64_t s) {
    objective *= s > 1 ? 0.99 : 0.94;
    const double share = 0.4 / static_cast<double>(s);
    return Window{.seconds = 0.2, .wait_share = share, .objective = objective};
  });
  EXPECT_GT(times.at(1), 45);
  EXPECT_EQ(times.count(8), 0U);
}

TEST(AutoStaleness, FallsWhenResultsGetWorse) {
  AutoStaleness that;
  double objective = 1;
  run(that, 6, [&](std::int64_t) {
    objective *= 1.2;
    return Window{.seconds = 0.2, .wait_share = 0.05, .objective = objective};
  });
  EXPECT_EQ(that.staleness(), 0);
}

TEST(AutoStaleness, HasAnEnd) {
  AutoStaleness that;
  run(that, 12, [](std::int64_t s) {
    return Window{.seconds = 0.2, .wait_share = 0.9 / std::sqrt(static_cast<double>(s))};
  });
  EXPECT_EQ(that.staleness(), AutoStaleness::kMax);
}

TEST(AutoStaleness, GoesByWaitsAloneIfNobodySaysHowGoodItIs) {
  AutoStaleness that;
  run(that, 6, [](std::int64_t s) {
    return Window{.seconds = 0.2, .wait_share = 0.3 / static_cast<double>(s), .objective = -1.0};
  });
  EXPECT_EQ(that.staleness(), 8);
}

}  // namespace
}  // namespace godwit
