// sim/pace_run.cc: who is in time, what is learned from them, and what the policy is told.
#include "sim/pace_run.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace godwit::sim {
namespace {

constexpr double kSmoothSteps = 20;
constexpr std::uint64_t kNoiseEvery = 10;  // steps, as the leader of steps does it
constexpr double kLooks = 8;               // parts of a batch; workers stop between two

}  // namespace

PaceRun::PaceRun(const LeastSquares* problem, const PaceLaw& law, const PaceRunOptions& options,
                 std::uint64_t seed, PacePolicy* policy, PaceTimings* timings)
    : problem_(problem),
      law_(law),
      options_(options),
      policy_(policy),
      timings_(timings),
      delays_(mix64(seed, 1)),
      samples_(mix64(seed, 2)),
      jobs_(options.workers),
      ends_(options.workers),
      free_at_(options.workers, 0.0),
      way_back_(options.workers, 0.0),
      untold_(options.workers),
      parameters_(problem->start()),
      reference_(problem->width()),
      gradient_(problem->width()),
      last_gradient_(problem->width()),
      halves_{std::vector<float>(problem->width()), std::vector<float>(problem->width())},
      inclusion_(options.workers),
      error_(problem->error(parameters_)),
      smooth_error_(error_) {
  GODWIT_CHECK_GE(problem->samples(), options.workers);
}

void PaceRun::step() {
  const std::uint64_t number = totals_.steps;
  if (policy_->wants_reference(number)) reference_ = parameters_;
  if (policy_->wants_distance(number)) {
    double squared = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const double part = static_cast<double>(parameters_[i]) - reference_[i];
      squared += part * part;
    }
    policy_->on_distance(number, squared);
  }
  const bool wants_turn = policy_->wants_gradient_turn();
  choice_ = policy_->choice(options_.workers);
  tells_noise_ = options_.tells_noise && choice_.load >= 2 &&
                 (policy_->stage() == 0 || number % kNoiseEvery == 0);
  draw_jobs();
  end_jobs();
  learn();
  PaceFeedback feedback{.step = number,
                        .seconds = step_seconds_,
                        .used_samples = choice_.batch(),
                        .mean_loss = mean_loss_,
                        .live = options_.workers};
  if (wants_turn && number > 0) {
    double turn = 0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      turn += static_cast<double>(gradient_[i]) * last_gradient_[i];
    }
    feedback.gradient_turn = turn;
  }
  policy_->on_step(feedback);
  if (tells_noise_) tell_noise();
}

void PaceRun::draw_jobs() {
  const double share = static_cast<double>(choice_.load) / options_.full_load;
  for (std::uint32_t worker = 0; worker < options_.workers; ++worker) {
    Job& job = jobs_[worker];
    job.comm = draw_comm(law_, delays_);
    job.compute = share * draw_compute(law_, worker, delays_);
    job.begin = law_.cancels ? totals_.seconds : std::max(totals_.seconds, free_at_[worker]);
    job.end = job.begin + job.comm + job.compute;
    ends_[worker] = job.end;
  }
}

void PaceRun::end_jobs() {
  const auto last = ends_.begin() + (choice_.k - 1);
  std::nth_element(ends_.begin(), last, ends_.end());
  const double end = *last;
  std::uint32_t in_time = 0;
  for (std::uint32_t worker = 0; worker < options_.workers; ++worker) {
    Job& job = jobs_[worker];
    job.is_begun = job.begin < end;
    if (job.is_begun) tell_times(worker);  // of what it had to end first
    job.is_in_time = job.end <= end && in_time < choice_.k;
    in_time += job.is_in_time;
    if (!job.is_begun) continue;
    totals_.assigned += choice_.load;
    if (!law_.cancels) free_at_[worker] = job.end;
    // Half of the communication comes before the computation.
    const double share = (end - job.begin - job.comm / 2) / job.compute;
    const double done = job.is_in_time || !law_.cancels ? 1 : std::clamp(share, 0.0, 1.0);
    totals_.performed += static_cast<std::uint64_t>(done * choice_.load);
    if (timings_ == nullptr || !(job.is_in_time || options_.late_workers_report)) continue;
    untold_[worker] = {totals_.steps, report_of(worker, share)};
    if (job.is_in_time || law_.cancels) tell_times(worker);
  }
  step_seconds_ = end - totals_.seconds;
  totals_.seconds = end;
  totals_.messages += choice_.k;
  totals_.used += choice_.batch();
  ++totals_.steps;
}

void PaceRun::tell_times(std::uint32_t worker) {
  if (!untold_[worker]) return;
  timings_->on_timing(untold_[worker]->step, worker, untold_[worker]->times);
  untold_[worker].reset();
}

// What a worker can know when its step is over: who is cut short has not sent its result, so its
// way back is that of its last one, and it has computed whole parts of its batch only, or nothing
// yet. `share` is how much of its computation it has done.
DelayObservation PaceRun::report_of(std::uint32_t worker, double share) {
  const Job& job = jobs_[worker];
  if (job.is_in_time || !law_.cancels) {
    way_back_[worker] = job.comm / 2;
    return {job.comm, job.compute, choice_.load, choice_.load};
  }
  const double comm = job.comm / 2 + way_back_[worker];
  if (share <= 0) return {comm, 0, 0, choice_.load};
  const double parts = std::min<double>(kLooks, choice_.load);
  const double done = std::min(1.0, std::ceil(share * parts) / parts);
  const double samples = std::ceil(done * choice_.load);
  return {comm, samples / choice_.load * job.compute, static_cast<std::uint32_t>(samples),
          choice_.load};
}

void PaceRun::learn() {
  std::swap(gradient_, last_gradient_);
  std::fill(gradient_.begin(), gradient_.end(), 0.0F);
  variance_ = 0;
  double loss = 0;
  for (std::uint32_t worker = 0; worker < options_.workers; ++worker) {
    if (!jobs_[worker].is_in_time) continue;
    loss += add_results(worker);
  }
  const auto batch = static_cast<double>(choice_.batch());
  const auto rate = static_cast<float>(law_.learning_rate);
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    gradient_[i] /= static_cast<float>(batch);
    parameters_[i] -= rate * gradient_[i];
  }
  mean_loss_ = loss / batch;
  error_ = problem_->error(parameters_);
  smooth_error_ += (error_ - smooth_error_) / kSmoothSteps;
}

// A worker's gradients; their loss.
double PaceRun::add_results(std::uint32_t worker) {
  const std::size_t shard = problem_->samples() / options_.workers;
  batch_.resize(choice_.load);
  for (std::uint32_t& sample : batch_) {
    sample = static_cast<std::uint32_t>(options_.has_shards ? worker * shard + samples_.below(shard)
                                                            : samples_.below(problem_->samples()));
    inclusion_.note(std::min<std::size_t>(sample / shard, options_.workers - 1));
  }
  return tells_noise_ ? add_halves() : problem_->add_gradients(parameters_, batch_, gradient_);
}

// Likewise, and how much its halves contradict each other.
double PaceRun::add_halves() {
  const std::span<const std::uint32_t> samples(batch_);
  const std::size_t first = samples.size() / 2;
  const std::size_t second = samples.size() - first;
  for (auto& half : halves_) std::fill(half.begin(), half.end(), 0.0F);
  double loss = problem_->add_gradients(parameters_, samples.first(first), halves_[0]);
  loss += problem_->add_gradients(parameters_, samples.last(second), halves_[1]);
  double difference = 0;
  for (std::size_t i = 0; i < gradient_.size(); ++i) {
    gradient_[i] += halves_[0][i] + halves_[1][i];
    const double part = static_cast<double>(halves_[0][i]) / static_cast<double>(first) -
                        static_cast<double>(halves_[1][i]) / static_cast<double>(second);
    difference += part * part;
  }
  const double each = 1 / static_cast<double>(first) + 1 / static_cast<double>(second);
  variance_ += choice_.load * difference / each;
  return loss;
}

void PaceRun::tell_noise() {
  const auto batch = static_cast<double>(choice_.batch());
  double squared = 0;
  for (const float value : gradient_) squared += double{value} * value;
  const double variance = variance_ / batch;
  policy_->on_noise(variance, squared - variance / batch);
}

}  // namespace godwit::sim
