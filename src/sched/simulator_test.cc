// sched/simulator_test.cc: time, work and figures of a run.
#include "sched/simulator.h"

#include <gtest/gtest.h>

#include "base/time_source.h"
#include "report/xml_balance_fixture.h"
#include "sched/certificate.h"
#include "sched/gantt.h"
#include "sched/policies.h"
#include "sched/sched_fixture.h"
#include "sched/sim_metrics.h"
#include "sched/study.h"
#include "sched/study_report.h"
#include "sched/synthetic.h"

namespace godwit {
namespace {

Instance one_job(double work) {
  Instance instance;
  instance.cluster = small_cluster(2, 4, 16);
  instance.slots = 20;
  Job job = small_job(work, 4, 2, 1, 2);
  job.workers_wanted = 2;
  job.arrival = 1;
  job.arrived = 0.5;
  instance.jobs = {job};
  settle_jobs(instance).value();
  return instance;
}

SimulationOutcome run(const Instance& instance, const SimulationOptions& options) {
  const ManualTime time;
  return simulate(instance, *make_policy("fifo", {}, instance).value(), options, time);
}

TEST(Simulator, WorkTakesAsLongAsTheSpeedSays) {
  const Instance instance = one_job(7);  // two workers, two samples a slot
  const SimulationOutcome outcome = run(instance, {});
  EXPECT_EQ(outcome.jobs[0].completion, 4);
  EXPECT_DOUBLE_EQ(outcome.jobs[0].finished, 4.5);
  EXPECT_DOUBLE_EQ(outcome.jobs[0].utility, instance.jobs[0].utility.at(3));
  const SimMetrics metrics = metrics_of(instance, outcome);
  EXPECT_DOUBLE_EQ(metrics.jct_mean, 4);
  EXPECT_DOUBLE_EQ(metrics.internal, 1);
  EXPECT_DOUBLE_EQ(metrics.wait_mean, 0.5);
  EXPECT_DOUBLE_EQ(metrics.jct_finished_p50, 4);
}

TEST(Simulator, EachResourceIsUsedForAsLongAsTheJobRuns) {
  const Instance instance = one_job(7);  // 3.5 of 5 slots: 2 of 8 GPUs, 3 of 32 CPUs
  const SimMetrics metrics = metrics_of(instance, run(instance, {}));
  EXPECT_NEAR(metrics.used_each[0], 2.0 / 8 * 3.5 / 5, 1e-12);
  EXPECT_NEAR(metrics.used_each[1], 3.0 / 32 * 3.5 / 5, 1e-12);
  EXPECT_EQ(metrics.used_each[2], 0);
  EXPECT_NEAR(metrics.utilisation, metrics.used_each[0], 1e-12);
}

TEST(Simulator, ARestartCostsItsTimeOnceAndAWrongEstimateItsFactor) {
  const Instance instance = one_job(7);
  EXPECT_NEAR(run(instance, {.restart = 0.25}).jobs[0].finished, 4.75, 1e-9);
  EXPECT_NE(run(instance, {.estimate_error = 0.5}).jobs[0].finished, 4.5);
}

TEST(Simulator, WhatDoesNotFinishCountsUntilTheHorizonAndIsWorthNothing) {
  const Instance instance = one_job(1000);
  const SimMetrics metrics = metrics_of(instance, run(instance, {}));
  EXPECT_EQ(metrics.finished, 0);
  EXPECT_EQ(metrics.utility, 0);
  EXPECT_DOUBLE_EQ(metrics.jct_mean, 19.5);
}

TEST(Simulator, AFailedMachineStopsWhatRanThere) {
  const Instance instance = one_job(30);
  const SimulationOutcome outcome = run(instance, {.failures = 0.15, .repair_slots = 3, .seed = 4});
  EXPECT_GT(outcome.machine_failures, 0);
  EXPECT_GT(outcome.jobs[0].preemptions + outcome.jobs[0].reconfigurations, 0);
}

TEST(Metrics, QuantilesAndIntervals) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({3, 1, 2}, 0.99), 3);
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_NEAR(interval(std::vector{1.0, 2.0, 3.0}), 4.303 / std::sqrt(3), 1e-3);
}

Study small_study() {
  const RealTime time;
  StudyOptions options{.policies = {"fifo", "godwit"}, .seeds = {1, 2}};
  options.simulation.keep_plans = true;
  options.certify = true;
  const Cluster cluster = parse_machines("4 x c5n").value();
  return run_study(
             options,
             [&](std::uint64_t seed) {
               return make_synthetic({.jobs = 12, .slots = 10}, cluster, seed);
             },
             time, [](const PolicyRuns&, std::uint64_t) {})
      .value();
}

TEST(Study, PrintsWhatItWasMeasuredOn) {
  const Study study = small_study();
  const std::string text = study_text(study);
  for (const char* word : {"seeds 1 2",
                           "T = 10",
                           "H = 4",
                           "load",
                           "classes",
                           "estimate error",
                           "no schedule is worth more",
                           "godwit",
                           "±",
                           "of bound",
                           "JCT p50",
                           "admitted",
                           "wait",
                           "makespan",
                           "rho max",
                           "Jain",
                           "moved",
                           "gpu",
                           "cpu",
                           "arrival p50",
                           "slot's plan p50"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  const std::string json = run_json(study.facts, study.runs[1], 1);
  for (const char* word : {"\"seed\":2", "\"policy\":\"godwit\"", "\"bound\":", "\"jct_p99\":",
                           "\"of_bound\":0.", "\"used_gpu\":0.", "\"used_cpu\":0."}) {
    EXPECT_NE(json.find(word), std::string::npos) << word << json;
  }
  for (const PolicyRuns& runs : study.runs) {
    for (std::size_t i = 0; i < 2; ++i) EXPECT_LE(runs.seeds[i].utility, study.facts.bounds[i]);
  }
}

// At its known speed the job is too late, so that nothing is to be had; in truth it may be faster.
TEST(Study, BoundsHoldWhereJobsAreFasterThanIsKnown) {
  Instance instance = one_job(4.4);
  instance.jobs[0].workers_wanted = 4;  // 1.1 slots
  instance.jobs[0].utility = {.kind = Utility::Kind::kDeadline, .priority = 10, .target = 0};
  EXPECT_EQ(utility_bound(instance), 0);
  const ManualTime time;
  int in_time = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    StudyOptions options{.policies = {"fifo"}, .seeds = {seed}};
    options.simulation.estimate_error = 0.5;
    const Study study = run_study(
                            options, [&](std::uint64_t) -> Result<Instance> { return instance; },
                            time, [](const PolicyRuns&, std::uint64_t) {})
                            .value();
    const double utility = study.runs[0].seeds[0].utility;
    EXPECT_GE(study.facts.bounds.at(0), utility) << "seed " << seed;
    in_time += utility > 0 ? 1 : 0;
  }
  EXPECT_GT(in_time, 0);
  EXPECT_LT(in_time, 20);
}

TEST(Study, PicturesShowWhoRunsWhere) {
  const Study study = small_study();
  const std::string text = gantt_text(study.first, study.runs[1].last);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_NE(text.find_first_of("ABCDEFGHIJKL"), std::string::npos);
  const std::string html = study_html(study);
  EXPECT_EQ(xml_fault(html), "");
  for (const char* figure : {"used_gpu", "used_cpu", "of_bound", "jct_p50", "slot_p99_ms"}) {
    EXPECT_NE(html.find(figure), std::string::npos) << figure;
  }
  EXPECT_EQ(xml_fault(gantt_svg(study.first, study.runs[1].last, "a < b")), "");
  EXPECT_NE(study_svg(study).find("<svg"), std::string::npos);
}

TEST(Synthetic, SpecsAreReadAndMistakesNamed) {
  const SyntheticSpec spec = parse_synthetic("jobs=7,mix=30/69/1,scale=0.5").value();
  EXPECT_EQ(spec.jobs, 7);
  EXPECT_EQ(spec.mix[1], 69);
  for (const char* wrong : {"job=7", "jobs=-1", "jobs", "mix=1/2", "mix=10/10/10", "slots=x"}) {
    EXPECT_FALSE(parse_synthetic(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace godwit
