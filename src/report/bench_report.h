// report/bench_report.h: results of benchmarks, for people and for programs. Pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace godwit {

struct BenchResult {
  std::string bench;      // "store"
  std::string case_name;  // "pull/len=64/rows=1M/keys=uniform/threads=1"
  double value = 0;       // what was measured, in `unit`
  std::string unit;       // "ns/key"
  double limit = 0;       // the same, of what cannot be beaten
  double ratio = 0;       // 1 = at the limit; less is worse
  std::string note;       // for people only
  // What else was measured, in the order of printing.
  std::vector<std::pair<std::string, double>> figures = {};
};

// One JSON object with the fields bench, case, value, unit, limit, ratio and those of `figures`; no
// line end.
std::string to_json_line(const BenchResult& result);

// All results as an aligned table, with a column for each name among their figures.
std::string to_text(const std::vector<BenchResult>& results);

}  // namespace godwit
