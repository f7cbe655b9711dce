// bench/table_tax.h: what a task pays for tables: its training against the same on plain arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/plain_training.h"
#include "data/catalog.h"
#include "godwit/result.h"
#include "report/bench_report.h"
#include "train/task.h"

namespace godwit {

struct TaxCase {
  std::string task;                   // mf, w2v or kge
  std::string title;                  // "mf/rank=32"
  std::vector<std::string> data;      // names for find_first_data()
  std::vector<std::string> settings;  // "rank=32"; not epochs
  std::int64_t workers = 2;
  std::size_t repetitions = 5;  // epochs that are timed, after one that is not
  double losses_apart = 0.1;    // at most, of the last epochs, relative
};

// A task and the same on plain arrays.
struct TaxedTask {
  std::shared_ptr<const void> borrowed;  // the data that `plain` works on
  std::unique_ptr<Task> task;
  std::unique_ptr<PlainTraining> plain;
  std::string data;  // what was found
};

// Errors of find_first_data() if there are none of the data, of the task if it cannot be made.
Result<TaxedTask> make_taxed_task(const TaxCase& that, const Catalog& catalog);

// Trains by the loop of `godwit train` on one node, and after each segment the same on plain
// arrays. Value and limit are the rates of the best epoch of each. kCorruption if they did not
// learn from as many examples, or if their losses are too far apart.
Result<BenchResult> measure_table_tax(const TaxCase& that, const Catalog& catalog);

}  // namespace godwit
