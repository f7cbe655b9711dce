// report/bench_report.cc: one line each as JSON, or a table.
#include "report/bench_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/text_table.h"

namespace godwit {

std::string to_json_line(const BenchResult& result) {
  nlohmann::ordered_json object;
  object["bench"] = result.bench;
  object["case"] = result.case_name;
  object["value"] = result.value;
  object["unit"] = result.unit;
  object["limit"] = result.limit;
  object["ratio"] = result.ratio;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_text(const std::vector<BenchResult>& results) {
  TextTable table({"case", "value", "limit", "unit", "ratio", "note"});
  for (const BenchResult& result : results) {
    table.add({result.case_name, fmt::format("{:.2f}", result.value),
               fmt::format("{:.2f}", result.limit), result.unit,
               fmt::format("{:.2f}", result.ratio), result.note});
  }
  return table.to_string();
}

}  // namespace godwit
