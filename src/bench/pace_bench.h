// bench/pace_bench.h: training in steps by real processes, with delays and without: waiting for all
// of them against the pace that is found out, and against ticks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/catalog.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "report/bench_report.h"

namespace godwit {

struct PaceBenchOptions {
  std::string program = "/proc/self/exe";  // godwit
  std::string task = "mlp";
  std::string data = "fashion-mnist";
  std::vector<std::string> settings;  // "hidden=64"
  std::int64_t nodes = 8;             // of one worker each
  std::int64_t epochs = 15;
  std::string delays;  // of the cases that have them
  // What is to be reached on the test split.
  std::string figure = "accuracy";
  bool is_larger_better = true;
  double target = 0.86;
  // From 1. One seed tells little: accuracy is judged once an epoch, and three runs with delays
  // came to the target after 36 to 48 s. Runs without delays are short, so that luck and a busy
  // machine weigh more: more of them.
  std::int64_t seeds = 3;
  std::int64_t calm_seeds = 9;
  std::chrono::seconds deadline{1800};  // of a run
  Catalog catalog;
  Environment environment;  // that the programs get
  // A run has ended, of which this says what it came to: the whole takes 20 minutes.
  std::function<void(const std::string& text)> on_run = [](const std::string&) {};

  static PaceBenchOptions full();
  static PaceBenchOptions quick();  // whether it works, not how well
};

// Runs every case with every seed, in turn, one after the other in a temporary directory, and gives
// the medians; where larger is better, what is reached in the end must not be worse. kNotFound if
// the data are not there; errors of run_program().
Result<> run_pace_bench(const PaceBenchOptions& options,
                        const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
