// bench/missed_cases.cc: ratios against the figure `wanted`.
#include "bench/missed_cases.h"

#include <fmt/format.h>

#include <algorithm>

namespace godwit {
namespace {

// 0: nothing.
double wanted_of(const BenchResult& result) {
  for (const auto& [name, value] : result.figures) {
    if (name == kWanted) return value;
  }
  return 0;
}

}  // namespace

std::size_t count_wanted(const std::vector<BenchResult>& results) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results, [](const BenchResult& result) { return wanted_of(result) > 0; }));
}

std::vector<std::string> missed_cases(const std::vector<BenchResult>& results) {
  std::vector<std::string> missed;
  for (const BenchResult& result : results) {
    const double wanted = wanted_of(result);
    if (!(wanted > 0) || result.ratio >= wanted) continue;
    missed.push_back(fmt::format("{}: the ratio is {:.5g}, but {:.5g} is wanted", result.case_name,
                                 result.ratio, wanted));
  }
  return missed;
}

}  // namespace godwit
