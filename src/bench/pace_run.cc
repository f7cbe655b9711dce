// bench/pace_run.cc: reads what a run has left: lines of flat objects, and a table with commas.
#include "bench/pace_run.h"

#include <string>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "report/csv_rows.h"

namespace godwit {
namespace {

// A number of an object without objects in it.
std::optional<double> number_of(std::string_view object, std::string_view name) {
  const std::string label = "\"" + std::string(name) + "\":";
  const std::size_t at = object.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  object.remove_prefix(at + label.size());
  return parse_number<double>(object.substr(0, object.find_first_of(",}")));
}

Result<> add_steps(std::string_view text, JudgedRun& run) {
  CsvRows rows(text);
  while (rows.next()) {
    const auto assigned = rows.number("assigned");
    const auto used = rows.number("used");
    const auto dropped = rows.number("late_dropped");
    if (!assigned || !used || !dropped) return corruption("steps.csv: '{}'", rows.line());
    ++run.steps;
    run.gradients += *assigned;
    run.results += *used + *dropped;
  }
  return {};
}

}  // namespace

Result<JudgedRun> read_pace_run(std::string_view metrics, std::optional<std::string_view> steps,
                                std::string_view figure) {
  JudgedRun run;
  while (!metrics.empty()) {
    const std::string_view line = take_line(metrics);
    // At the end of a run all is said once more.
    if (const auto seconds = number_of(line, "train_seconds")) run.train_seconds = *seconds;
    if (line.find("\"split\":\"test\"") == std::string_view::npos) continue;
    const auto seconds = number_of(line, "seconds");
    const auto value = number_of(line, figure);
    if (!seconds || !value) return corruption("metrics.jsonl has no {} in '{}'", figure, line);
    run.judged.push_back({.seconds = *seconds, .value = *value});
  }
  if (run.judged.empty()) return corruption("metrics.jsonl has no judgement by the test split");
  if (steps) GODWIT_TRY(add_steps(*steps, run));
  return run;
}

std::optional<double> seconds_until(const std::vector<JudgedRun::Judged>& judged, double target,
                                    bool is_larger_better) {
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const JudgedRun::Judged& now = judged[i];
    if (is_larger_better ? now.value < target : now.value > target) continue;
    if (i == 0) return now.seconds;
    const JudgedRun::Judged& before = judged[i - 1];
    const double part = (target - before.value) / (now.value - before.value);
    return before.seconds + part * (now.seconds - before.seconds);
  }
  return std::nullopt;
}

}  // namespace godwit
