// train/step_worker.cc: computing, delaying, giving back.
#include "train/step_worker.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/sample_order.h"
#include "base/try.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = InjectedDelays::Seconds;

std::chrono::nanoseconds nanoseconds_of(Seconds seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(seconds);
}

}  // namespace

StepWorker::StepWorker(const StepModel& model, const std::vector<Table>& tables,
                       const StepOptions& options, const InjectedDelays& delays)
    : model_(model),
      tables_(tables),
      options_(options),
      delays_(delays),
      gradients_(model.gradients()) {
  std::uint64_t floats = 0;
  for (const StepTable& table : model.tables()) {
    std::vector<Key>& keys = keys_.emplace_back();
    for (Key key = 0; key < table.rows; ++key) keys.push_back(key);
    floats += table.floats();
  }
  parameters_.resize(floats);
  sums_.resize(floats);
  half_.resize(floats);
}

Result<std::span<const float>> StepWorker::read(Worker& worker) {
  std::vector<Ticket> tickets;
  std::size_t at = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::size_t floats = keys_[i].size() * tables_[i].spec().row_length;
    GODWIT_TRY_ASSIGN(Ticket ticket, worker.pull_async(tables_[i], keys_[i],
                                                       std::span(parameters_).subspan(at, floats)));
    tickets.push_back(ticket);
    at += floats;
  }
  for (const Ticket& ticket : tickets) GODWIT_TRY(worker.wait(ticket));
  return std::span<const float>(parameters_);
}

std::vector<StepSums> StepWorker::sums_by_table() const {
  std::vector<StepSums> sums;
  std::size_t at = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::size_t floats = keys_[i].size() * tables_[i].spec().row_length;
    sums.push_back(
        {.table = &tables_[i], .keys = keys_[i], .sums = std::span(sums_).subspan(at, floats)});
    at += floats;
  }
  return sums;
}

bool StepWorker::compute(const InjectedDelays::Drawn& delays, const std::function<bool()>& is_over,
                         StepOutcome& outcome) {
  std::fill(sums_.begin(), sums_.end(), 0.0F);
  std::fill(half_.begin(), half_.end(), 0.0F);
  const std::size_t count = samples_.size();
  const std::size_t first_half = count / 2;
  const std::size_t at_once = std::max<std::size_t>(1, count / kLooks);
  const auto begun = Clock::now();
  for (std::size_t at = 0; at < count;) {
    if (is_over()) return false;
    const std::size_t end = at < first_half ? first_half : count;
    const std::size_t some = std::min(at_once, end - at);
    const auto before = Clock::now();
    outcome.loss += gradients_->add(parameters_, std::span(samples_).subspan(at, some),
                                    at < first_half ? sums_ : half_);
    const Seconds took = Clock::now() - before;
    const double share = static_cast<double>(some) / static_cast<double>(options_.batch);
    const Seconds longer = took * (delays.slowdown - 1) + delays.compute * share;
    const bool is_delayed = longer > Seconds(0);
    const Seconds spared = is_delayed ? wait_unless_over(longer, is_over) : Seconds(0);
    at += some;
    outcome.samples = at;
    // As if it had computed to the end of these samples.
    outcome.compute = nanoseconds_of(Clock::now() - begun + spared);
    if (spared > Seconds(0)) {
      outcome.spared = nanoseconds_of(spared);
      return false;
    }
  }
  double difference = 0;
  const auto a = static_cast<float>(first_half);
  const auto b = static_cast<float>(count - first_half);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (first_half > 0) {
      const float between = sums_[i] / a - half_[i] / b;
      difference += double{between * between};
    }
    sums_[i] += half_[i];
  }
  outcome.half_difference = difference;
  outcome.compute = nanoseconds_of(Clock::now() - begun);
  return true;
}

Result<> StepWorker::run_step(Worker& worker, const WorkerShare& share, const Step& step,
                              Sums& sums) {
  if (!prng_) prng_.emplace(mix64(options_.seed, static_cast<std::uint64_t>(share.index)));
  const InjectedDelays::Drawn delays = delays_.draw(share.index, step.number(), *prng_);
  const auto is_over = [&] { return step.is_over(); };
  StepOutcome outcome;
  GODWIT_TRY(read(worker));
  samples_.clear();
  SampleOrder order(options_.samples, options_.seed);
  for (const SampleShare& part : step.shares()) {
    for (std::uint64_t i = 0; i < part.count; ++i) {
      samples_.push_back(order.sample_at(part.first + i));
    }
  }
  if (!compute(delays, is_over, outcome)) {
    outcome.spared += nanoseconds_of(delays.comm);
    return worker.give_up_step(step, outcome);
  }
  if (delays.comm > Seconds(0)) {
    const Seconds spared = wait_unless_over(delays.comm, is_over);
    outcome.spared = nanoseconds_of(spared);
    if (spared > Seconds(0)) return worker.give_up_step(step, outcome);
  }
  GODWIT_TRY(worker.end_step(step, sums_by_table(), outcome));
  sums["loss"] += outcome.loss;
  sums["examples"] += static_cast<double>(outcome.samples);
  return {};
}

Result<> StepWorker::run_ticks(Worker& worker, const WorkerShare& share, std::uint64_t epoch,
                               Sums& sums) {
  if (!prng_) prng_.emplace(mix64(options_.seed, static_cast<std::uint64_t>(share.index)));
  SampleOrder order(options_.samples, options_.seed);
  const auto workers = static_cast<std::uint64_t>(share.count);
  const std::uint64_t together = workers * options_.batch;
  for (std::uint64_t first = 0; first < options_.samples; first += together) {
    const std::uint64_t all = std::min(together, options_.samples - first);
    const std::uint64_t begin = all * static_cast<std::uint64_t>(share.index) / workers;
    const std::uint64_t end = all * (static_cast<std::uint64_t>(share.index) + 1) / workers;
    samples_.clear();
    for (std::uint64_t i = begin; i < end; ++i) {
      samples_.push_back(order.sample_at(epoch * options_.samples + first + i));
    }
    GODWIT_TRY(read(worker));
    const InjectedDelays::Drawn delays = delays_.draw(share.index, worker.tick().value(), *prng_);
    StepOutcome outcome;
    compute(
        delays, [] { return false; }, outcome);
    if (delays.comm > Seconds(0)) wait_unless_over(delays.comm, [] { return false; });
    // The last samples of an epoch, when there are too few, weigh as all others do, as in steps.
    for (float& sum : sums_) sum /= static_cast<float>(together);
    for (const StepSums& table : sums_by_table()) {
      GODWIT_TRY(worker.push(*table.table, table.keys, table.sums));
    }
    GODWIT_TRY(worker.advance());
    sums["loss"] += outcome.loss;
    sums["examples"] += static_cast<double>(outcome.samples);
  }
  return {};
}

}  // namespace godwit
