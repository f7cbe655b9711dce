// train/training_loop_test.cc: a whole training on one node and on several, by matrix
// factorization.
#include "train/training_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"
#include "train/common_settings.h"
#include "train/mf_task.h"

namespace godwit {
namespace {

Ratings planted() {
  Prng prng(7);
  constexpr std::size_t kRank = 3;
  Ratings ratings{.rows = 300, .columns = 200};
  std::vector<double> factors((300 + 200) * kRank);
  for (double& factor : factors) factor = prng.normal();
  const auto draw = [&](std::size_t n) {
    std::vector<Rating> some(n);
    for (Rating& rating : some) {
      rating.row = static_cast<std::uint32_t>(prng.below(300));
      rating.column = static_cast<std::uint32_t>(prng.below(200));
      double value = 5 + 0.1 * prng.normal();
      for (std::size_t k = 0; k < kRank; ++k) {
        value += factors[rating.row * kRank + k] * factors[(300 + rating.column) * kRank + k];
      }
      rating.value = static_cast<float>(value);
    }
    return some;
  };
  ratings.train = draw(30'000);
  ratings.valid = draw(2'000);
  ratings.test = draw(2'000);
  return ratings;
}

Settings settings_with(std::vector<std::string> assignments) {
  Settings settings;
  add_common_settings(settings);
  add_mf_settings(settings);
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  return settings;
}

TEST(TrainingLoop, LearnsWhatCanBeLearned) {
  for (const std::int64_t workers : {1, 2}) {
    Session session = Session::open({.workers = workers}).value();
    const Settings settings = settings_with({"rank=4", "epochs=25", "penalty=0.002"});
    const auto task = make_mf_task(settings, planted());
    task->open(session, workers).value();
    std::vector<double> losses;
    LoopEvents events;
    events.on_segment = [&](const SegmentReport& report) { losses.push_back(report.loss); };
    const std::atomic<bool> stop{false};
    const LoopResult result =
        train(session, *task, {.workers = workers}, {}, RealTime(), stop, events).value();
    EXPECT_EQ(result.next, (Cursor{.epoch = 25}));
    EXPECT_EQ(losses.size(), 25U);
    EXPECT_LT(losses.back(), losses.front() / 10);
    ASSERT_TRUE(result.test);
    EXPECT_EQ(result.test->figures[0].first, "rmse");
    EXPECT_LT(result.test->figures[0].second, 0.15) << workers << " workers; the noise is 0.1";
    EXPECT_GT(result.test->figures[0].second, 0.09);
  }
}

}  // namespace
}  // namespace godwit
