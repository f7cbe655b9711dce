// core/step_tally.h: what has come in a step so far, and what came of those before: for the leader,
// and for who looks at a run later. Owned by the leader of the steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "godwit/steps.h"
#include "wire/step_messages.h"

namespace godwit {

struct StepTally {
  std::vector<ChosenRecord> chosen;
  std::uint64_t samples = 0;
  std::uint64_t weight = 0;  // as many samples the sum is divided by, at least
  std::uint64_t assigned = 0;
  double loss = 0;
  double variance = 0;  // summed over samples that tell
  std::uint64_t variance_samples = 0;
  std::uint32_t late_applied = 0;
  std::uint32_t late_dropped = 0;
  std::uint32_t cancelled = 0;

  void add(const StepResult& result, NodeId node) {
    chosen.push_back({.step = result.step,
                      .node = static_cast<std::uint32_t>(node.value()),
                      .worker = static_cast<std::uint32_t>(result.worker.value())});
    samples += result.samples;
    loss += result.loss;
    // Means of a and of b samples differ by 1 / a + 1 / b times what one sample's gradient varies.
    if (!(result.half_difference > 0) || result.samples < 2) return;
    const std::uint32_t first_half = result.samples / 2;  // as workers cut it
    const double a = first_half;
    const double b = result.samples - first_half;
    variance += a * b * result.half_difference;
    variance_samples += result.samples;
  }
  double mean_loss() const {
    return samples > 0 ? loss / static_cast<double>(samples) : std::nan("");
  }
  double mean_variance() const {
    return variance_samples > 0 ? variance / static_cast<double>(variance_samples) : std::nan("");
  }
};

// Records of steps until somebody takes them; not without end.
class StepJournal {
 public:
  static constexpr std::size_t kKeptMax = 200'000;

  void add(StepRecord record) {
    if (report_.steps.size() < kKeptMax) {
      report_.steps.push_back(std::move(record));
    } else if (!std::exchange(has_said_full_, true)) {
      alarm(static_cast<std::uint64_t>(record.step),
            "no step is recorded from here on: there are " + std::to_string(kKeptMax) + " already");
    }
  }
  void add(StepWorkerRecord record) {
    if (report_.workers.size() < kKeptMax) report_.workers.push_back(record);
  }
  void alarm(std::uint64_t step, std::string text) {
    if (report_.alarms.size() >= kKeptMax) return;
    report_.alarms.push_back({static_cast<std::int64_t>(step), std::move(text)});
  }
  // The squared mean gradient of a step is known: its record has it without what noise adds to it.
  // The record, if it is there.
  const StepRecord* note_gradient(std::int64_t step, double squared) {
    for (auto record = report_.steps.rbegin(); record != report_.steps.rend(); ++record) {
      if (record->step < step) return nullptr;
      if (record->step != step) continue;
      const double noise = record->variance / static_cast<double>(record->samples);
      record->gradient = squared - (std::isfinite(noise) ? noise : 0);
      return &*record;
    }
    return nullptr;
  }
  // But for steps from `kept` on.
  StepReport take(std::int64_t kept = std::numeric_limits<std::int64_t>::max()) {
    has_said_full_ = false;
    StepReport taken = std::exchange(report_, {});
    const auto first = std::find_if(taken.steps.begin(), taken.steps.end(),
                                    [&](const StepRecord& step) { return step.step >= kept; });
    report_.steps.assign(std::make_move_iterator(first),
                         std::make_move_iterator(taken.steps.end()));
    taken.steps.erase(first, taken.steps.end());
    return taken;
  }

 private:
  StepReport report_;
  bool has_said_full_ = false;
};

}  // namespace godwit
