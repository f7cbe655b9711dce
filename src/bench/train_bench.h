// bench/train_bench.h: `godwit bench train`: what tables cost a trainer, what several nodes cost,
// and how it compares with what else there is for word vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/table_tax.h"
#include "bench/train_scaling.h"
#include "bench/word_vector_peers.h"
#include "data/catalog.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "report/bench_report.h"

namespace godwit {

enum class TrainPart : std::uint8_t { kTax, kScaling, kPeers };

// tax, scaling, peers. kInvalidArgument naming all for others.
Result<TrainPart> parse_train_part(std::string_view name);

struct TrainBenchOptions {
  std::vector<TaxCase> tax;
  std::vector<ScalingCase> scaled;
  ScalingOptions scaling;
  std::vector<PeerCase> peers;
  Catalog catalog;
  Environment environment;  // where programs are looked for, and what they get

  static TrainBenchOptions full();
  static TrainBenchOptions quick();  // in under a minute

  // Leaves out all other parts.
  void keep(TrainPart part);
  // Leaves out all other tasks. kInvalidArgument if there is no such task, or nothing is left.
  Result<> keep_task(const std::string& task);
  void set_repetitions(std::size_t repetitions);
};

// Cases whose data or programs are not there get a result that says so and has no value.
// REQUIRES: this process has one thread.
Result<> run_train_bench(const TrainBenchOptions& options,
                         const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
