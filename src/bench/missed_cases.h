// bench/missed_cases.h: results that are worse than what is wanted of them. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/bench_report.h"

namespace godwit {

// The name of the figure that says how large a result's ratio is to be; without it, or with 0,
// nothing is wanted.
inline constexpr const char* kWanted = "wanted";

std::size_t count_wanted(const std::vector<BenchResult>& results);

// For each result whose ratio is below what is wanted, or is no number: its case and both of them.
std::vector<std::string> missed_cases(const std::vector<BenchResult>& results);

}  // namespace godwit
