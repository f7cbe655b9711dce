// train/step_task_test.cc: models that are trained in steps get as good as with ticks, whoever is
// slow.
#include "train/step_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "base/time_source.h"
#include "data/sparse_linear.h"
#include "node/job_fixture.h"
#include "train/common_settings.h"
#include "train/linreg_task.h"
#include "train/mlp_task.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

using testing::HasSubstr;

SparseSet linear_set() {
  return make_sparse_linear(
             {.rows = 2000, .held_out = 500, .features = 32, .per_row = 8, .support = 8})
      .set;
}

Settings settings_with(const std::vector<std::string>& assignments) {
  Settings settings;
  add_common_settings(settings);
  add_linreg_settings(settings);
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  return settings;
}

// RMSE on the test split, how the loop ended, and what the steps came to.
struct Trained {
  double rmse = 0;
  LoopResult result;
  StepReport report;
};

Trained train_linreg(std::int64_t nodes, const std::string& name,
                     std::vector<std::string> assignments, double seconds_max = 0) {
  assignments.emplace_back("epochs=12");
  assignments.emplace_back("batch=16");
  assignments.emplace_back("learning_rate=0.05");
  Trained trained;
  run_job(
      nodes, name,
      [&](Session& session) {
        const Settings settings = settings_with(assignments);
        auto task = make_linreg_task(settings, linear_set());
        ASSERT_TRUE(task.ok()) << task.error().message();
        ASSERT_TRUE((*task)->open(session, 2).ok());
        const RealTime time;
        const std::atomic<bool> stop{false};
        LoopEvents events;
        events.on_segment = [&](const SegmentReport&) {
          StepReport report = session.take_step_report();
          auto& all = trained.report.steps;
          all.insert(all.end(), report.steps.begin(), report.steps.end());
        };
        const auto result = godwit::train(
            session, **task, {.workers = 2, .seconds_max = seconds_max}, {}, time, stop, events);
        ASSERT_TRUE(result.ok()) << result.error().message();
        if (session.node() == NodeId{0}) trained.rmse = result->test->figures[0].second;
        if (session.node() == NodeId{0}) trained.result = *result;
        ASSERT_TRUE(session.close().ok());
      },
      2);
  return trained;
}

TEST(StepTask, LearnsWithTicksAndInStepsOfAllKinds) {
  const double floor = linear_set().noise_floor;
  for (const auto* pace : {"off", "fixed", "fixed:k=2,load=0.5", "adaptive_k", "auto"}) {
    const Trained trained = train_linreg(2, "learns", {std::string("pace=") + pace});
    EXPECT_LT(trained.rmse, 1.1 * floor) << pace;
    std::uint64_t samples = 0;
    for (const StepRecord& step : trained.report.steps) samples += step.samples;
    EXPECT_EQ(samples, pace == std::string("off") ? 0 : 12 * linear_set().train.size()) << pace;
  }
}

TEST(StepTask, LearnsOnOneNodeToo) {
  EXPECT_LT(train_linreg(1, "alone", {}).rmse, 1.1 * linear_set().noise_floor);
}

TEST(StepTask, LearnsWithASlowWorkerWhoseResultsComeLate) {
  const double floor = linear_set().noise_floor;
  for (const auto* late : {"late=drop", "late=apply:5"}) {
    const Trained trained =
        train_linreg(2, "late", {"pace=fixed:k=3", "inject=worker 3: compute const 4ms", late});
    EXPECT_LT(trained.rmse, 1.1 * floor) << late;
    std::uint64_t applied = 0;
    std::uint64_t cancelled = 0;
    for (const StepRecord& step : trained.report.steps) {
      applied += step.late_applied;
      cancelled += step.cancelled;
    }
    EXPECT_EQ(applied > 0, late == std::string("late=apply:5")) << late;
    EXPECT_EQ(cancelled > 0, late == std::string("late=drop")) << late;
  }
}

// Whoever has had enough does not wait for the end of an epoch of slow steps.
TEST(StepTask, EndsWithinAnEpoch) {
  const Trained trained =
      train_linreg(2, "early", {"pace=fixed", "inject=all: compute const 100ms"}, 0.3);
  EXPECT_EQ(trained.result.cause, StopCause::kOutOfTime);
  EXPECT_EQ(trained.result.next, Cursor{}) << "the epoch begins anew when the run goes on";
  EXPECT_LT(trained.result.seconds, 2) << "an epoch takes three seconds";
}

TEST(StepTask, AsksForNoMoreThanThereIs) {
  for (const auto* setting : {"pace=fixed:k=5", "servers=3"}) {
    run_job(
        2, "more",
        [&](Session& session) {
          auto task = make_linreg_task(settings_with({setting}), linear_set()).value();
          const auto opened = task->open(session, 2);
          ASSERT_FALSE(opened.ok());
          EXPECT_EQ(opened.error().code(), ErrorCode::kInvalidArgument);
          EXPECT_THAT(opened.error().message(), HasSubstr("but this job has"));
          ASSERT_TRUE(session.close().ok());
        },
        2);
  }
}

TEST(StepTask, SettingsThatMakeNoSenseAreRefused) {
  const auto why = [](const auto&... assignments) {
    const auto task = make_linreg_task(settings_with({assignments...}), linear_set());
    return task.ok() ? std::string() : task.error().message();
  };
  EXPECT_EQ(why("pace=fixed"), "");
  EXPECT_THAT(why("pace=fast"), HasSubstr("pace is 'fast'"));
  EXPECT_THAT(why("late=never"), HasSubstr("late is 'never'"));
  EXPECT_THAT(why("pace=off", "late=apply:3"), HasSubstr("with pace off nothing is late"));
  EXPECT_THAT(why("pace=off", "servers=2"), HasSubstr("all nodes keep parameters"));
  EXPECT_THAT(why("pace=off", "compute_slack=0.1"), HasSubstr("no loads are chosen"));
  EXPECT_THAT(why("pace=fixed", "compute_slack=0.1"), HasSubstr("does not choose loads"));
  EXPECT_THAT(why("codec=int8"), HasSubstr("travel as they are"));
  EXPECT_THAT(why("inject=all: comm exp 1ms from step 9 until step 9"), HasSubstr("is never"));
  EXPECT_THAT(why("inject=all: slow"), HasSubstr("'all: slow' is no delay"));
  EXPECT_THAT(why("consistency=bsp"), HasSubstr("`pace` says"));
}

TEST(StepTask, WithoutSamplesOrClassesThereIsNone) {
  EXPECT_FALSE(make_linreg_task(settings_with({}), SparseSet{}).ok());
  Settings settings;
  add_common_settings(settings);
  add_mlp_settings(settings);
  EXPECT_FALSE(make_mlp_task(settings, ImageSet{}).ok());
  ImageSet same;
  same.train = {
      .count = 2, .height = 1, .width = 1, .classes = 1, .pixels = {1, 2}, .labels = {0, 0}};
  EXPECT_FALSE(make_mlp_task(settings, same).ok());
}

TEST(StepTask, AQuarterOfTheNodesAreServers) {
  EXPECT_EQ(servers_of(settings_with({}), 8), 2);
  EXPECT_EQ(servers_of(settings_with({}), 1), 1);
  EXPECT_EQ(servers_of(settings_with({"servers=3"}), 8), 3);
  EXPECT_EQ(servers_of(settings_with({"servers=3"}), 2), 2);
  EXPECT_EQ(servers_of(settings_with({"pace=off"}), 8), 0);
  Settings other;
  add_common_settings(other);
  EXPECT_EQ(servers_of(other, 8), 0);
}

}  // namespace
}  // namespace godwit
