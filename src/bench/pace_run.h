// bench/pace_run.h: what a training in steps has left in its directory. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "godwit/result.h"

namespace godwit {

struct JudgedRun {
  struct Judged {
    double seconds = 0;
    double value = 0;
  };
  std::vector<Judged> judged;  // by the test split
  double train_seconds = 0;    // without judging
  std::uint64_t steps = 0;     // 0: it was in ticks
  double gradients = 0;        // of a sample, given out
  double results = 0;          // messages with gradients that came
};

// From the run's metrics.jsonl and, if it went in steps, its steps.csv. kCorruption for what is not
// understood.
Result<JudgedRun> read_pace_run(std::string_view metrics, std::optional<std::string_view> steps,
                                std::string_view figure);

// When the target was reached: between two judgements in proportion; the first one's time if that
// was good enough. Nothing if it never was.
std::optional<double> seconds_until(const std::vector<JudgedRun::Judged>& judged, double target,
                                    bool is_larger_better);

}  // namespace godwit
