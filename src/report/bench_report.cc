// report/bench_report.cc: one line each as JSON, or a table.
#include "report/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

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
  for (const auto& [name, value] : result.figures) object[name] = value;
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_text(const std::vector<BenchResult>& results) {
  std::vector<std::string> names;
  for (const BenchResult& result : results) {
    for (const auto& [name, value] : result.figures) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::vector<std::string> header{"case", "value", "limit", "unit", "ratio"};
  header.insert(header.end(), names.begin(), names.end());
  header.emplace_back("note");
  TextTable table(header);
  for (const BenchResult& result : results) {
    std::vector<std::string> row{result.case_name, fmt::format("{:.2f}", result.value),
                                 fmt::format("{:.2f}", result.limit), result.unit,
                                 fmt::format("{:.2f}", result.ratio)};
    for (const std::string& name : names) {
      const auto found = std::find_if(result.figures.begin(), result.figures.end(),
                                      [&](const auto& figure) { return figure.first == name; });
      row.push_back(found == result.figures.end() ? "" : fmt::format("{:.5g}", found->second));
    }
    row.push_back(result.note);
    table.add(std::move(row));
  }
  return table.to_string();
}

}  // namespace godwit
