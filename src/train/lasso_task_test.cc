// train/lasso_task_test.cc: many workers end where one thread does, and find what was planted.
#include "train/lasso_task.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/prng.h"
#include "data/sparse_linear.h"
#include "node/job_fixture.h"
#include "train/common_settings.h"
#include "train/lasso_columns.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

SparseSet linear_set() {
  return make_sparse_linear(
             {.rows = 600, .held_out = 300, .features = 64, .per_row = 8, .support = 8})
      .set;
}

// Features that have much in common, so that workers that know nothing of each other go too far.
SparseSet correlated_set() {
  Prng prng(5);
  SparseSet set{.features = 12};
  for (SparseRows* rows : {&set.train, &set.valid, &set.test}) {
    for (int row = 0; row < 128; ++row) {
      const double common = prng.normal();
      double label = 0;
      for (std::uint64_t feature = 0; feature < 12; ++feature) {
        const double value = common + prng.normal();
        rows->features.push_back(feature);
        rows->values.push_back(static_cast<float>(value));
        if (feature < 3) label += value;
      }
      rows->end_row(static_cast<float>(label + 0.1 * prng.normal()));
    }
  }
  return set;
}

Settings settings_with(const std::vector<std::string>& assignments) {
  Settings settings;
  add_common_settings(settings);
  add_lasso_settings(settings);
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  return settings;
}

std::vector<float> pull_weights(Session& session, std::size_t columns,
                                const std::string& consistency) {
  TableSpec spec{.name = "weights", .rows = columns, .row_length = 1};
  spec.consistency = Consistency::parse(consistency).value();
  std::vector<Key> keys(columns);
  std::iota(keys.begin(), keys.end(), Key{0});
  std::vector<float> values(columns);
  Worker worker = session.worker().value();
  worker.pull(session.table(spec).value(), keys, values).value();
  return values;
}

LoopResult train_all(Session& session, Task& task, std::int64_t workers) {
  const std::atomic<bool> stop{false};
  return train(session, task, {.workers = workers}, {}, RealTime(), stop, {}).value();
}

// Half the squares and the penalty: what is made small.
double objective(const LassoColumns& columns, const std::vector<float>& weights, double penalty,
                 const SparseRows& rows) {
  const std::vector<double> exact(weights.begin(), weights.end());
  const double rmse = lasso_rmse(columns, exact, rows);
  double sum = static_cast<double>(rows.size()) * rmse * rmse / 2;
  for (std::size_t i = 0; i < columns.intercept(); ++i) sum += penalty * std::abs(exact[i]);
  return sum;
}

struct Job {
  std::int64_t nodes;
  std::int64_t workers;
  const char* consistency;
};

class LassoJobs : public ::testing::TestWithParam<Job> {};

TEST_P(LassoJobs, EndWhereOneThreadDoes) {
  const Job job = GetParam();
  std::vector<SparseSet> sets{correlated_set()};
  if (job.nodes == 1) sets.push_back(linear_set());
  for (const SparseSet& set : sets) {
    const LassoColumns columns = make_lasso_columns(set.train);
    const double penalty = 0.05 * lasso_penalty_max(columns);
    std::vector<double> exact;
    std::vector<float> fitted;
    descend_plainly(columns, penalty, 500, exact, fitted);
    const std::vector<float> best(exact.begin(), exact.end());
    const double least = objective(columns, best, penalty, set.train);
    run_job(
        job.nodes, "lasso-" + std::to_string(job.nodes),
        [&](Session& session) {
          const auto task =
              make_lasso_task(settings_with({"penalty=0.05", "refit=false", "epochs=100", "batch=2",
                                             std::string("consistency=") + job.consistency}),
                              set);
          task->open(session, job.workers).value();
          train_all(session, *task, job.workers);
          session.barrier().value();
          if (session.node() == NodeId{0}) {
            const auto weights = pull_weights(session, columns.size(), job.consistency);
            EXPECT_NEAR(objective(columns, weights, penalty, set.train) / least, 1, 0.02);
          }
          session.close().value();
        },
        job.workers);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LassoJobs,
                         ::testing::Values(Job{1, 1, "async"}, Job{1, 8, "async"},
                                           Job{2, 2, "async"}, Job{2, 2, "ssp:2"},
                                           Job{2, 2, "bsp"}));

TEST(LassoTask, FindsThePlantedFeatures) {
  Session session = Session::open({.workers = 2}).value();
  const SparseSet set = linear_set();
  Settings settings = settings_with({"epochs=30"});
  resolve_lasso_settings(settings, set).value();
  const auto task = make_lasso_task(settings, set);
  task->open(session, 2).value();
  const LoopResult result = train_all(session, *task, 2);
  const std::map<std::string, double> figures(result.test->figures.begin(),
                                              result.test->figures.end());
  EXPECT_LT(figures.at("rmse"), 1.05 * figures.at("noise_floor"));
  EXPECT_EQ(figures.at("support_recall"), 1);
  EXPECT_GE(figures.at("support_precision"), 0.8);
}

TEST(LassoTask, WeightsAreCalledByTheirFeatures) {
  SparseSet set{.features = 1001};
  for (const std::uint64_t feature : {40, 3, 1000, 11, 10}) {
    set.train.features.push_back(feature);
    set.train.values.push_back(1);
    set.train.end_row(static_cast<float>(feature));
  }
  const auto task = make_lasso_task(settings_with({"penalty=0.1"}), set);
  const std::vector<std::string> wanted{"3", "10", "11", "40", "1000", "intercept"};
  EXPECT_EQ(task->names(), (RowNames{{kLassoWeights, wanted}}));
  EXPECT_NEAR(task->constants().at("mean"), 1064 / 5.0, 1e-4);
}

TEST(LassoTask, LabelsThatAreAllTheSameAreRefused) {
  SparseSet set = linear_set();
  for (float& label : set.train.labels) label = 3;
  Settings settings = settings_with({});
  EXPECT_FALSE(resolve_lasso_settings(settings, set).ok());
}

}  // namespace
}  // namespace godwit
