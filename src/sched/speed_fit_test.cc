// sched/speed_fit_test.cc: speeds by the two models, and models from measured steps.
#include "sched/speed_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"
#include "sched/linear_fit.h"
#include "sched/speed_curve.h"

namespace godwit {
namespace {

TEST(SpeedCurve, OfThePaperIsWorkersByTimeOfASampleWithItsExchange) {
  const PaperSpeed model{.sample_slots = 1e-4,
                         .model_bytes = 1e8,
                         .workers_per_server = 5,
                         .batch = 100,
                         .bytes_internal = 1e13,
                         .bytes_external = 1e11};
  const SpeedCurve speed = SpeedCurve::paper(model, 100);
  EXPECT_DOUBLE_EQ(model.per_sample(false), 1e-4 + 2 * 1e8 * 5 / (100 * 1e11));
  EXPECT_NEAR(speed.samples(7, false), 7 / model.per_sample(false), 1e-6);
  EXPECT_GT(speed.samples(7, true), speed.samples(7, false));
  for (int w = 1; w <= 100; ++w) {
    EXPECT_EQ(speed.workers_for(speed.samples(w, false), false), w);
    EXPECT_EQ(speed.workers_for(speed.samples(w, true) * 0.999, true), w);
  }
  EXPECT_EQ(speed.workers_for(speed.samples(100, true) * 1.01, true), 0);
}

TEST(SpeedCurve, OfAFitEndsWhereMoreWorkersBringNothing) {
  const FittedSpeed model{.per_worker = 1, .constant = 0.01, .w_linear = 0.01};
  const SpeedCurve speed = SpeedCurve::fitted(model, model, 64, 2, 100);
  EXPECT_EQ(speed.best_workers(true), 10);  // 1/w + w/100 is least at 10
  EXPECT_DOUBLE_EQ(speed.samples(50, true), speed.samples(10, true));
  EXPECT_GT(speed.most_a_worker(true), speed.fastest(true) / 10);
}

std::vector<MeasuredStep> measured(const FittedSpeed& truth, double noise) {
  Prng prng(5);
  std::vector<MeasuredStep> steps;
  for (int w = 1; w <= 16; ++w) {
    for (int p = 1; p <= 8; ++p) {
      steps.push_back({static_cast<double>(w), static_cast<double>(p),
                       truth.step_slots(w, p) * (1 + noise * prng.normal())});
    }
  }
  return steps;
}

TEST(SpeedFit, FindsTheTermsThatMadeTheSteps) {
  const FittedSpeed truth{4, 1, 0.5, 0.02, 0.01};
  const FittedSpeed exact = fit_speed(measured(truth, 0));
  EXPECT_NEAR(exact.per_worker, 4, 1e-6);
  EXPECT_NEAR(exact.per_server, 1, 1e-6);
  EXPECT_NEAR(exact.constant, 0.5, 1e-6);
  EXPECT_NEAR(exact.w_linear, 0.02, 1e-7);
  EXPECT_NEAR(exact.p_linear, 0.01, 1e-7);
  const std::vector<MeasuredStep> noisy = measured(truth, 0.05);
  EXPECT_LT(median_error(fit_speed(noisy), noisy), 0.05);
  EXPECT_GT(median_error(fit_paper_form(noisy), noisy), 0.15) << "its form has no constant";
}

TEST(SpeedFit, HasNoNegativeTerm) {
  // Faster than linear: without the bound the constant would be negative.
  std::vector<MeasuredStep> steps;
  for (int w = 1; w <= 8; ++w) {
    steps.push_back({static_cast<double>(w), 1, 3 / std::pow(w, 1.3)});
  }
  const FittedSpeed fit = fit_speed(steps);
  for (const double term : {fit.per_worker, fit.per_server, fit.constant, fit.w_linear}) {
    EXPECT_GE(term, 0);
  }
  EXPECT_GT(fit.step_slots(4, 1), 0);
}

TEST(FitFactors, CopeWithColumnsThatAreTheSame) {
  const std::vector<double> factors =
      fit_factors({{1, 1}, {2, 2}, {3, 3}}, std::vector{2., 4., 6.});
  EXPECT_NEAR(factors[0] + factors[1], 2, 1e-6);
}

}  // namespace
}  // namespace godwit
