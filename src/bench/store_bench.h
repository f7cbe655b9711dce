// bench/store_bench.h: `godwit bench store`: rows in memory against a plain array.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/key_stream.h"
#include "godwit/result.h"
#include "report/bench_report.h"

namespace godwit {

// One table size and key distribution; all operations and thread counts run on it.
struct StoreBenchCase {
  std::size_t length = 64;
  std::uint64_t rows = 1'000'000;
  KeyDraw keys = KeyDraw::kUniform;
};

struct StoreBenchOptions {
  std::vector<StoreBenchCase> cases;
  std::vector<std::size_t> threads = {1, 2};
  std::size_t batch = 1024;
  std::size_t batches_per_slice = 256;
  std::size_t slices = 16;  // distinct ones; then they repeat
  std::size_t repetitions = 7;
  double seconds_per_measurement = 0.5;

  // The whole programme, or the part that answers in under 30 s.
  static StoreBenchOptions full();
  static StoreBenchOptions quick();
};

// Measures and verifies; results go to `on_result` as they come. kCorruption if a row does not
// hold what the operations must have left there; kOutOfMemory if the tables do not fit.
Result<> run_store_bench(const StoreBenchOptions& options,
                         const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
