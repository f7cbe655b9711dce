// pace/auto_pace.h: finds k and load by itself, from workers' times and how learning goes, without
// any constant of the problem. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "pace/batch_trial.h"
#include "pace/distance_watch.h"
#include "pace/loss_guard.h"
#include "pace/pace_policy.h"
#include "pace/pace_timings.h"

namespace godwit {

struct AutoPaceOptions {
  // A step may take this much longer than the fastest way to its batch if that saves computation:
  // 0.2 took 18-47 % fewer gradients, and 9-32 % more time.
  double compute_slack = 0;
};

// Far from the optimum small batches learn as much in a step as large ones and steps are short;
// close to it only large ones get closer. So learning goes through stages, each with a batch (k *
// load) that it needs: the smallest at first, and twice as much whenever the parameters have come
// to walk in circles, twice in a row (DistanceWatch), or the loss rises (LossGuard). More than
// twice, if a larger batch takes hardly longer than the last stage's did. The batch is reached by
// the k and load that are fastest by the timing table; which that is depends on the delays alone.
//
// The first batch is the one whose noise is as large as the gradient itself, as far as that is
// known: smaller ones go astray (a network of one hidden layer on images went nowhere for 600
// steps). Where the gradient is far larger than its noise, as far from the optimum of least
// squares, that is the smallest load of one worker. And where a larger batch takes hardly longer,
// it is that.
//
// The batch ends at 0.8 of all workers with the full load: waiting for the very last of many costs
// more than it brings (2.2 times the time for exponential delays, 10 times for Pareto ones), unless
// by the table it takes hardly more time than it brings samples. Where nobody is slow, that is the
// batch from the beginning, or from when the table shows it, or a trial where the table is not to
// be trusted (BatchTrial). And as long as some workers, up to half of all, are so slow that samples
// become much cheaper without them, it is what the others bring, whatever the stage needs.
class AutoPace final : public PacePolicy {
 public:
  static constexpr std::uint32_t kProfileSteps = 5;  // of all workers with the smallest load
  static constexpr std::uint64_t kRetimeEvery = 200;
  // The first time, then twice as many steps: the profile has seen one load only.
  static constexpr std::uint64_t kFirstRetime = 15;

  // `timings` outlives it and is fed by whoever runs the steps, before on_step().
  explicit AutoPace(PaceTimings* timings, const AutoPaceOptions& options = {});

  PaceChoice choice(std::uint32_t live) const override;
  void on_step(const PaceFeedback& feedback) override;
  bool wants_reference(std::uint64_t step) const override;
  bool wants_distance(std::uint64_t step) const override;
  void on_distance(std::uint64_t step, double squared) override;
  void on_noise(double variance, double squared) override;
  // 0 while times are measured, then 1 for the smallest batch, and so on.
  std::uint32_t stage() const override { return stage_; }
  std::string_view reason() const override { return trial_.is_running() ? "trial" : reason_; }
  std::optional<double> predicted_seconds() const override;

  // The batch that the present stage needs, as far as workers are not too slow for it; 0 while
  // times are measured.
  double batch() const { return stage_ == 0 ? 0 : afforded(); }

 private:
  static constexpr double kGrowth = 2;
  static constexpr double kRideGrowth = 1.25;
  static constexpr double kRideCost = 1.1;
  static constexpr double kShareMax = 0.8;
  static constexpr double kHysteresis = 1.03;
  static constexpr double kFirstShareMax = 0.125;
  static constexpr double kCalmCost = 2;
  static constexpr double kTrialCost = 4;
  static constexpr double kPriceMax = 1.5;
  static constexpr double kLateCost = 2;
  static constexpr std::uint32_t kLateSteps = 20;
  static constexpr std::string_view kSlow = "somebody is slow";

  struct Pair {
    std::uint32_t k = 0;
    std::size_t rung = 0;
    double seconds = 0;
  };

  Pair pair_with(double batch, std::size_t rung) const;  // k = 0: the workers are too few
  Pair fastest(double batch) const;
  // How many workers may be waited for with the full load: at least half, and more as long as a
  // sample takes at most kPriceMax as long as it does where it takes least.
  std::uint32_t worth_waiting_for() const;
  double batch_max() const;
  double afforded() const;  // of batch_
  void begin_stages();
  void advance(std::string_view reason);
  void enter_stage(std::string_view reason);  // with batch_, which is new
  double first_batch() const;
  // How many times as long the largest batch takes as one that takes this long, by the table;
  // infinite if it is the present one. Up to twice it is worth it: where noise is as large as what
  // is learned, a step without noise brings twice as much.
  double calm_cost(double seconds) const;
  void look_for_calm();
  void end_trial(double cost);
  void take_largest();
  // The largest batch if it is worth it; else a larger one, if a step takes hardly longer with it.
  void ride(double seconds);
  // Whether steps take far longer than the table says: somebody has become slow since.
  bool is_late(double seconds);
  void retime();
  void choose();

  PaceTimings* timings_;
  const AutoPaceOptions options_;
  DistanceWatch distance_;
  LossGuard guard_;
  std::uint32_t stage_ = 0;
  std::string_view reason_ = "profile";
  std::uint32_t profiled_ = 0;
  std::uint64_t since_retime_ = 0;
  std::uint64_t retime_after_ = kFirstRetime;
  std::uint32_t late_steps_ = 0;
  double batch_ = 0;
  double variance_ = 0;  // these two while times are measured
  double squared_ = 0;
  Pair pair_;
  BatchTrial trial_;  // of the largest batch
  Pair tried_;
  bool has_fired_ = false;  // the watch, since the last step
  bool is_sure_ = false;    // it had fired before in this stage
};

}  // namespace godwit
