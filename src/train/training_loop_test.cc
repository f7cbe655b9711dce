// train/training_loop_test.cc: a whole training by matrix factorization; how one ends, by a task
// that does as it is told.
#include "train/training_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

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

// Judged by numbers that were given; every worker ends a tick for each segment.
class ScriptedTask final : public Task {
 public:
  explicit ScriptedTask(std::vector<double> errors) : errors_(std::move(errors)) {}

  std::int64_t epochs() const override { return static_cast<std::int64_t>(errors_.size()); }
  std::int64_t segments() const override { return 2; }
  std::string quality_name() const override { return "error"; }
  bool is_larger_better() const override { return false; }
  bool has(Split split) const override { return split == Split::kValid; }
  Result<> open(Session& session, std::int64_t /*workers_per_node*/) override {
    const TableSpec spec{
        .name = "t", .rows = 4, .row_length = 1, .consistency = Consistency::parse("bsp").value()};
    return session.table(spec).ok() ? Result<>() : Result<>(Error(ErrorCode::kAborted, "table"));
  }
  Result<> begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    return {};
  }
  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    for (int tick = 0; tick < 20; ++tick) {
      if (fails_ && share.index == 1 && tick == 3) return Error(ErrorCode::kAborted, "worker 1");
      if (auto done = worker.advance(); !done.ok()) return done;
    }
    sums["loss"] += segment == loss_in_ ? loss_ : 1;
    sums["examples"] += 1;
    return {};
  }
  Result<> judge(Worker& /*worker*/, const WorkerShare& /*share*/, Split /*split*/,
                 Sums& sums) override {
    sums["nothing"] += 0;
    return {};
  }
  Figures figures(Split /*split*/, const Sums& /*sums*/) const override {
    return {{"error", errors_[static_cast<std::size_t>(epoch_)]}};
  }

  void let_worker_1_fail() { fails_ = true; }
  void lose(double loss, std::int64_t segment) {
    loss_ = loss;
    loss_in_ = segment;
  }

 private:
  const std::vector<double> errors_;
  std::int64_t epoch_ = 0;
  bool fails_ = false;
  double loss_ = 1;
  std::int64_t loss_in_ = 0;
};

struct Outcome {
  Result<LoopResult> result;
  std::vector<LoopState> saved;
};

Outcome run(ScriptedTask& task, const LoopOptions& options, const LoopState& begin = {},
            bool is_stopped = false) {
  Session session = Session::open({.workers = options.workers}).value();
  task.open(session, options.workers).value();
  std::vector<LoopState> saved;
  LoopEvents events;
  events.save = [&](const LoopState& state) {
    saved.push_back(state);
    return Result<>();
  };
  const std::atomic<bool> stop{is_stopped};
  auto result = train(session, task, options, begin, RealTime(), stop, events);
  return {std::move(result), std::move(saved)};
}

TEST(TrainingLoop, EndsWhenItGetsNoBetter) {
  ScriptedTask task({3, 2, 2.5, 2.6, 1, 1});
  const Outcome outcome = run(task, {.patience = 2});
  EXPECT_EQ(outcome.result->cause, StopCause::kNoBetter);
  EXPECT_EQ(outcome.result->next, (Cursor{.epoch = 4}));
  ASSERT_EQ(outcome.saved.size(), 1U);
  EXPECT_EQ(outcome.saved[0].best, 2);
  EXPECT_EQ(outcome.saved[0].worse, 2);
}

TEST(TrainingLoop, WhoGoesOnRemembersWhatWasBest) {
  ScriptedTask task({3, 2, 2.5, 2.6, 1, 1});
  const LoopState begin{.next = {.epoch = 3}, .seconds = 100, .best = 2, .worse = 1};
  const Outcome outcome = run(task, {.patience = 2, .seconds_max = 50}, begin);
  EXPECT_EQ(outcome.result->cause, StopCause::kNoBetter);
  EXPECT_EQ(outcome.result->next, (Cursor{.epoch = 4}));
  EXPECT_GT(outcome.saved.back().seconds, 100);
  EXPECT_LT(outcome.saved.back().seconds, 150);
}

TEST(TrainingLoop, AnInterruptSavesAndJudgesNothing) {
  ScriptedTask task({3, 2});
  const Outcome outcome = run(task, {}, {}, true);
  EXPECT_EQ(outcome.result->cause, StopCause::kInterrupted);
  EXPECT_EQ(outcome.result->next, (Cursor{.segment = 1}));
  ASSERT_EQ(outcome.saved.size(), 1U);
  EXPECT_EQ(outcome.saved[0].next, (Cursor{.segment = 1}));
  EXPECT_FALSE(outcome.result->valid);
}

TEST(TrainingLoop, ALossThatIsNoNumberEndsIt) {
  for (const std::int64_t segment : {0, 1}) {
    ScriptedTask task({3, 2});
    task.lose(-std::nan(""), segment);
    const Outcome outcome = run(task, {});
    ASSERT_FALSE(outcome.result.ok());
    EXPECT_EQ(outcome.result.error().code(), ErrorCode::kAborted);
    EXPECT_THAT(outcome.result.error().message(),
                testing::HasSubstr("the loss is not a number in epoch 1:"))
        << "in segment " << segment;
    EXPECT_TRUE(outcome.saved.empty()) << "a model that is lost is not kept";
  }
  ScriptedTask task({3, 2});
  task.lose(HUGE_VAL, 1);
  EXPECT_THAT(run(task, {}).result.error().message(), testing::HasSubstr("the loss is inf in"));
}

// Reads of a bsp table wait for all workers: one that has given up must not be among them.
TEST(TrainingLoop, AWorkerThatFailsKeepsNobodyWaiting) {
  ScriptedTask task({3, 2});
  task.let_worker_1_fail();
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run(task, {.workers = 3});
  ASSERT_FALSE(outcome.result.ok());
  EXPECT_EQ(outcome.result.error().message(), "worker 1");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace godwit
