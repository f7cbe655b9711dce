// placement/action_timer_test.cc: the quantile against sums, and lambda through changes and pauses.
#include "placement/action_timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The smallest k with P(Poisson(mean) <= k) >= 0.9999; terms far below the mean are left out.
std::int64_t summed_quantile(double mean) {
  auto k = static_cast<std::int64_t>(std::max(0.0, mean - 12 * std::sqrt(mean)));
  double sum = 0;
  for (;; ++k) {
    const auto x = static_cast<double>(k);
    sum += std::exp(x * std::log(mean) - mean - std::lgamma(x + 1));
    if (sum >= 0.9999) return k;
  }
}

// A worker and the time it lives in.
struct Worker {
  ActionTimer timer;
  Time now{};

  void tick(Duration time, int times = 1) {
    for (int i = 0; i < times; ++i) timer.note_tick(now += time);
  }
  // As many actions as a probe takes.
  void act(Duration time) {
    for (int i = 0; i < 4; ++i) timer.note_action(now, time);
  }
};

TEST(ActionTimer, HorizonIsTheQuantile) {
  // Known values: P(Poisson(1) <= 5) = 0.99941, <= 6: 0.99992.
  EXPECT_EQ(ActionTimer::horizon_for(0.5), 6);
  for (double lambda = 0.0001; lambda < 8; lambda *= 1.003) {
    ASSERT_EQ(ActionTimer::horizon_for(lambda), summed_quantile(2 * lambda)) << lambda;
  }
}

TEST(ActionTimer, HorizonForManyTicksIsAtMostOneOff) {
  int off = 0;
  int count = 0;
  for (double lambda = 8; lambda < 4000; lambda *= 1.01, ++count) {
    const std::int64_t exact = summed_quantile(2 * lambda);
    ASSERT_NEAR(static_cast<double>(ActionTimer::horizon_for(lambda)), static_cast<double>(exact),
                1)
        << lambda;
    off += ActionTimer::horizon_for(lambda) != exact;
  }
  EXPECT_LE(off, count / 50);
  for (const double lambda : {1e4, 1e5, 1e6}) {
    EXPECT_NEAR(static_cast<double>(ActionTimer::horizon_for(lambda)),
                static_cast<double>(summed_quantile(2 * lambda)), 1)
        << lambda;
  }
}

TEST(ActionTimer, HorizonNeverShrinksAsLambdaGrows) {
  std::int64_t before = 0;
  for (double lambda = 1e-6; lambda < 1e8; lambda *= 1.001) {
    const std::int64_t horizon = ActionTimer::horizon_for(lambda);
    ASSERT_GE(horizon, before) << lambda;
    before = horizon;
  }
}

TEST(ActionTimer, SlowWorkersAskOneTickAhead) {
  EXPECT_EQ(ActionTimer::horizon_for(0.001), 1);
  EXPECT_EQ(ActionTimer::horizon_for(0), 1);  // the quantile itself is 0
  Worker worker;
  worker.tick(seconds(10), 5);
  worker.act(milliseconds(10));
  EXPECT_NEAR(worker.timer.lambda(), 0.001, 1e-9);
  EXPECT_EQ(worker.timer.horizon(), 1);
}

TEST(ActionTimer, HorizonsTooLargeToCountAreCut) {
  EXPECT_EQ(ActionTimer::horizon_for(1e30), ActionTimer::kHorizonMax);
  EXPECT_EQ(ActionTimer::horizon_for(INFINITY), ActionTimer::kHorizonMax);
}

TEST(ActionTimer, LooksLittleAheadUntilMeasured) {
  Worker worker;
  worker.tick(milliseconds(1), 100);
  EXPECT_EQ(worker.timer.horizon(), 2);
  worker.act(milliseconds(1));
  EXPECT_EQ(worker.timer.horizon(), ActionTimer::horizon_for(1));

  Worker only_acts;
  only_acts.act(milliseconds(1));
  only_acts.tick(milliseconds(1), 2);
  EXPECT_EQ(only_acts.timer.horizon(), 2);
  only_acts.tick(milliseconds(1));
  EXPECT_EQ(only_acts.timer.horizon(), ActionTimer::horizon_for(1));
}

TEST(ActionTimer, LambdaIsTicksPerActionTime) {
  Worker worker;
  worker.tick(microseconds(50), 100);
  worker.act(milliseconds(2));
  EXPECT_NEAR(worker.timer.lambda(), 40, 1e-9);
  EXPECT_EQ(worker.timer.horizon(), ActionTimer::horizon_for(40));
  EXPECT_GT(worker.timer.horizon(), 80 + 3 * 9);
}

TEST(ActionTimer, OneSlowActionDoesNotCount) {
  Worker worker;
  worker.tick(milliseconds(1), 40);
  for (const int ms : {10, 12, 900, 14}) worker.timer.note_action(worker.now, milliseconds(ms));
  EXPECT_NEAR(worker.timer.lambda(), 13, 1e-9);
}

TEST(ActionTimer, MeasuresAgainWithAShortHorizon) {
  Worker worker;
  worker.tick(milliseconds(1), 40);
  worker.act(milliseconds(10));
  EXPECT_FALSE(worker.timer.is_probing());
  worker.act(milliseconds(99));
  EXPECT_NEAR(worker.timer.lambda(), 10, 1e-9) << "only probes measure";
  worker.tick(milliseconds(1), 400 * 10 - 1);
  EXPECT_EQ(worker.timer.horizon(), ActionTimer::horizon_for(10));
  worker.tick(milliseconds(1));
  EXPECT_TRUE(worker.timer.is_probing());
  EXPECT_EQ(worker.timer.horizon(), 5);
  worker.timer.note_action(worker.now - milliseconds(3), milliseconds(99));  // asked for before
  worker.act(milliseconds(20));
  EXPECT_NEAR(worker.timer.lambda(), 20, 1e-9);
  EXPECT_EQ(worker.timer.horizon(), ActionTimer::horizon_for(20));
}

TEST(ActionTimer, MeasuresAgainWhenLeasesAreLate) {
  Worker worker;
  worker.tick(milliseconds(1), 40);
  worker.act(milliseconds(1));
  worker.tick(milliseconds(1), 100);
  for (int i = 0; i < 8; ++i) worker.timer.note_late();
  worker.tick(milliseconds(1), 155);
  EXPECT_FALSE(worker.timer.is_probing()) << "not so soon";
  worker.tick(milliseconds(1));
  EXPECT_TRUE(worker.timer.is_probing());
  worker.act(milliseconds(7));
  EXPECT_NEAR(worker.timer.lambda(), 7, 1e-9);
}

// A server that needs as long for a lease as the worker for a tick: what is asked for waits for
// what was asked for before. The horizon must not chase the queue that it makes.
TEST(ActionTimer, DoesNotDrownInItsOwnQueue) {
  Worker worker;
  const Duration tick = milliseconds(1);
  const Duration empty = microseconds(300);
  Time server_free{};
  std::int64_t asked = 0;
  for (std::int64_t now_at = 0; now_at < 20'000; ++now_at) {
    worker.tick(tick);
    for (; asked <= now_at + worker.timer.horizon(); ++asked) {
      server_free = std::max(server_free, worker.now) + tick;
      worker.timer.note_action(worker.now, server_free - worker.now + empty - tick);
    }
    ASSERT_LT(worker.timer.horizon(), 40);
  }
}

TEST(ActionTimer, FollowsAChangeOfSpeedWithin33Ticks) {
  for (const std::int64_t factor : {10, 1000}) {
    Worker worker;
    worker.tick(milliseconds(1), 1000);
    worker.act(milliseconds(5));
    worker.tick(milliseconds(factor), 33);
    EXPECT_NEAR(worker.timer.lambda(), 5.0 / static_cast<double>(factor), 1e-9);
    worker.tick(milliseconds(1), 33);
    EXPECT_NEAR(worker.timer.lambda(), 5, 1e-9);
  }
}

TEST(ActionTimer, OnePauseLeavesNoTrace) {
  for (const int ticks_before : {2, 3, 10, 1000}) {
    Worker worker;
    worker.tick(milliseconds(1), ticks_before);
    worker.act(milliseconds(5));
    worker.tick(seconds(5));
    for (int i = 0; i < 100; ++i) {
      ASSERT_NEAR(worker.timer.lambda(), 5, 1e-9) << ticks_before << " ticks, pause, " << i;
      worker.tick(milliseconds(1));
    }
  }
}

TEST(ActionTimer, RepeatedPausesAreForgottenAfter33Ticks) {
  Worker worker;
  worker.act(milliseconds(5));
  worker.tick(seconds(5), 10);
  EXPECT_LT(worker.timer.lambda(), 0.01);
  worker.tick(milliseconds(1), 33);
  EXPECT_NEAR(worker.timer.lambda(), 5, 1e-9);
}

// Ten ticks within 10 us, then 11 ms of nothing: 1 ms a tick, for as long as it goes on. (Of 32
// ticks two or three are long.)
TEST(ActionTimer, BurstsCountByTheirMean) {
  Worker worker;
  worker.act(milliseconds(5));
  for (int tick = 0; tick < 11'000; ++tick) {
    worker.tick(tick % 11 == 0 ? Duration(milliseconds(11)) : Duration(microseconds(1)));
    if (tick < 33) continue;
    ASSERT_GT(worker.timer.lambda(), 4.8);
    ASSERT_LT(worker.timer.lambda(), 7.5);
  }
}

// With random tick lengths the horizon must cover nearly every action of the usual length.
TEST(ActionTimer, RandomTicksRarelyOutrunTheHorizon) {
  Prng prng(1);
  Worker worker;
  worker.act(milliseconds(5));
  Duration since_asked{0};
  std::int64_t ticks = 0;
  std::int64_t horizon = ActionTimer::kHorizonMax;
  int actions = 0;
  int late = 0;
  for (int i = 0; i < 200'000; ++i) {
    const Duration time{static_cast<std::int64_t>(-1e6 * std::log(1 - prng.uniform()))};
    worker.tick(time);
    ++ticks;
    since_asked += time;
    if (since_asked < milliseconds(5)) continue;
    ++actions;
    const bool was_short = worker.timer.is_probing();
    worker.timer.note_action(worker.now, milliseconds(5));
    late += !was_short && ticks - 1 > horizon;
    EXPECT_TRUE(actions < 20 || (worker.timer.lambda() > 2 && worker.timer.lambda() < 16));
    since_asked = Duration{0};
    ticks = 0;
    horizon = worker.timer.horizon();
  }
  EXPECT_GT(actions, 20'000);
  EXPECT_LE(late, actions / 10'000);
}

TEST(ActionTimer, TicksWithoutAnyTimeAreFinite) {
  Worker worker;
  worker.tick(Duration{0}, 40);
  worker.act(milliseconds(1));
  EXPECT_EQ(worker.timer.lambda(), 1e6);
  EXPECT_LT(worker.timer.horizon(), 2'020'000);
}

TEST(ActionTimer, ActionsWithoutAnyTimeAskOneTickAhead) {
  Worker worker;
  worker.tick(milliseconds(1), 3);
  worker.act(Duration{0});
  EXPECT_EQ(worker.timer.horizon(), 1);
}

TEST(ActionTimerDeathTest, TimeDoesNotGoBack) {
  Worker worker;
  worker.tick(milliseconds(1));
  EXPECT_DEATH(worker.tick(milliseconds(-1)), "check failed");
  EXPECT_DEATH(worker.act(milliseconds(-1)), "check failed");
}

// With one tick ahead every lease of a probe would come late.
TEST(ActionTimer, AProbeActsTwoTicksAheadAtLeast) {
  ActionTimer timer;
  Time now{};
  timer.note_tick(now);
  for (int i = 0; i < 4; ++i) timer.note_action(now, std::chrono::microseconds(1));
  int probing = 0;
  for (int tick = 0; tick < 5000; ++tick) {
    now += std::chrono::milliseconds(1);
    timer.note_tick(now);
    if (!timer.is_probing()) continue;
    ++probing;
    EXPECT_EQ(timer.horizon(), 2);
    if (probing % 8 == 0) {
      for (int i = 0; i < 4; ++i) timer.note_action(now, std::chrono::microseconds(1));
    }
  }
  EXPECT_GE(probing, 8);
}

}  // namespace
}  // namespace godwit
