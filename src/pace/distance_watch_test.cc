// pace/distance_watch_test.cc: when it asks, and which growth of the distance makes it fire.
#include "pace/distance_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

// Steps `first`.. with a distance that is a function of the steps since the first; the step at
// which the test fires, or 0. Answers come `delay` steps late.
std::uint64_t fires_at(DistanceWatch& test, std::uint64_t first, std::uint64_t steps,
                       const std::function<double(double)>& squared, std::uint64_t delay = 0) {
  std::vector<std::uint64_t> asked;
  for (std::uint64_t step = first; step < first + steps; ++step) {
    if (test.wants_distance(step)) asked.push_back(step);
    test.on_begin(step);
    if (!asked.empty() && asked.front() + delay == step) {
      if (test.on_distance(asked.front(), squared(static_cast<double>(asked.front() - first)))) {
        return step;
      }
      asked.erase(asked.begin());
    }
  }
  return 0;
}

TEST(DistanceWatch, AsksEverLaterAfterTheReference) {
  DistanceWatch test;
  EXPECT_FALSE(test.wants_reference());
  test.restart();
  EXPECT_TRUE(test.wants_reference());
  std::vector<std::uint64_t> asked;
  for (std::uint64_t step = 100; step < 300; ++step) {
    if (test.wants_distance(step)) asked.push_back(step - 100);
    test.on_begin(step);
    EXPECT_FALSE(test.wants_reference());
  }
  EXPECT_THAT(asked, testing::ElementsAre(64, 80, 100, 125, 156, 195));
}

TEST(DistanceWatch, GoesOnWhileParametersTravelOrDiffuse) {
  for (const double power : {2.0, 1.0, 0.95}) {
    DistanceWatch test;
    test.restart();
    EXPECT_EQ(fires_at(test, 7, 10'000, [&](double t) { return std::pow(t, power); }), 0U) << power;
  }
}

TEST(DistanceWatch, FiresWhenTheDistanceStopsToGrow) {
  DistanceWatch test;
  test.restart();
  EXPECT_EQ(fires_at(test, 10, 1000, [](double) { return 3.0; }), 10U + 100);
  test.restart();
  // Grows until 200 steps after the reference: 156 to 244 has a slope of 0.56.
  EXPECT_EQ(fires_at(test, 10, 1000, [](double t) { return std::min(t, 200.0); }), 10U + 244);
}

TEST(DistanceWatch, AnswersMayBeLateAndMissing) {
  DistanceWatch test;
  test.restart();
  EXPECT_EQ(fires_at(
                test, 0, 1000, [](double) { return 3.0; }, 20),
            100U + 20);
  test.restart();
  for (const std::uint64_t step : {0U, 64U, 80U, 100U}) test.on_begin(step);
  EXPECT_FALSE(test.on_distance(80, 1)) << "the answer of 64 is lost";
  EXPECT_FALSE(test.on_distance(64, 1)) << "and comes too late";
  EXPECT_FALSE(test.on_distance(100, 1)) << "nothing to compare with: 80 is too close";
  test.on_begin(125);
  EXPECT_TRUE(test.on_distance(125, 1));
  EXPECT_FALSE(test.on_distance(125, 1)) << "told twice";
}

TEST(DistanceWatch, AnswersOfBeforeTheRestartDoNotCount) {
  DistanceWatch test;
  test.restart();
  test.on_begin(0);
  test.on_begin(64);
  test.on_distance(64, 5);
  test.on_begin(80);
  test.on_begin(100);
  test.restart();
  EXPECT_FALSE(test.on_distance(100, 5));
  test.on_begin(110);
  EXPECT_FALSE(test.on_distance(100, 5));
  EXPECT_FALSE(test.on_distance(110, 5));
  for (const std::uint64_t step : {174U, 190U, 210U}) {
    EXPECT_TRUE(test.wants_distance(step));
    test.on_begin(step);
    EXPECT_EQ(test.on_distance(step, 5), step == 210) << "nor do they disturb those that do";
  }
  test.stop();
  EXPECT_FALSE(test.wants_reference());
  EXPECT_FALSE(test.wants_distance(164));
}

TEST(DistanceWatch, OddNumbersDoNotFire) {
  DistanceWatch test;
  test.restart();
  for (const std::uint64_t step : {0U, 64U, 80U, 100U, 125U, 156U}) test.on_begin(step);
  EXPECT_FALSE(test.on_distance(64, 0));
  EXPECT_FALSE(test.on_distance(80, NAN));
  EXPECT_FALSE(test.on_distance(100, 0));
  EXPECT_FALSE(test.on_distance(125, -1));
  EXPECT_FALSE(test.on_distance(156, INFINITY));
}

// Gradient descent on |w|^2/2 in 20 dimensions with noise: it must not fire on the way down, and
// must at the floor. The floor is reached within 1000 steps (rate 0.01, 100 times the noise at
// first).
TEST(DistanceWatch, TellsTheWayDownFromTheFloor) {
  int early = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Prng prng(seed);
    std::vector<double> w(20, 100);
    std::vector<double> reference;
    DistanceWatch test;
    test.restart();
    std::uint64_t fired = 0;
    for (std::uint64_t step = 0; step < 5000 && fired == 0; ++step) {
      if (test.wants_reference()) reference = w;
      const bool wanted = test.wants_distance(step);
      test.on_begin(step);
      double squared = 0;
      for (std::size_t i = 0; i < w.size(); ++i) {
        squared += (w[i] - reference[i]) * (w[i] - reference[i]);
      }
      if (wanted && test.on_distance(step, squared)) fired = step;
      for (double& x : w) x -= 0.01 * (x + prng.normal());
    }
    ASSERT_GT(fired, 0U);
    early += fired < 100;
  }
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace godwit
