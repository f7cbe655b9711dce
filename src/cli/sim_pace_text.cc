// cli/sim_pace_text.cc: medians, tables, plots and targets of a study of pace.
#include "cli/sim_pace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "report/svg_grid.h"
#include "report/text_table.h"

namespace godwit {
namespace {

constexpr std::size_t kLast = sim::kPaceTargets.size() - 1;
constexpr double kNever = std::numeric_limits<double>::infinity();

double median_of(const PaceRuns& runs,
                 const std::function<double(const sim::PaceOutcome&)>& value) {
  std::vector<double> values;
  values.reserve(runs.outcomes.size());
  for (const sim::PaceOutcome& outcome : runs.outcomes) values.push_back(value(outcome));
  std::ranges::sort(values);
  if (values.empty()) return kNever;
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double seconds_until(const sim::PaceOutcome& outcome, std::size_t target) {
  return outcome.reached[target] ? outcome.reached[target]->seconds : kNever;
}

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.0f}", seconds) : "never";
}

std::vector<std::string> table_row(const PaceRuns& runs) {
  std::vector<std::string> row{runs.policy};
  for (std::size_t i = 0; i <= kLast; ++i) row.push_back(seconds_text(median_seconds(runs, i)));
  double worst = 0;
  for (const sim::PaceOutcome& outcome : runs.outcomes) {
    worst = std::max(worst, seconds_until(outcome, kLast));
  }
  row.push_back(seconds_text(worst));
  const auto count = [&](std::uint64_t sim::PaceTotals::*of, double unit, int digits) {
    const double median = median_of(runs, [&](const sim::PaceOutcome& outcome) {
      return static_cast<double>(outcome.totals.*of) / unit;
    });
    row.push_back(fmt::format("{:.{}f}", median, digits));
  };
  count(&sim::PaceTotals::assigned, 1e6, 1);
  count(&sim::PaceTotals::performed, 1e6, 1);
  count(&sim::PaceTotals::used, 1e6, 1);
  count(&sim::PaceTotals::messages, 1e3, 0);
  count(&sim::PaceTotals::steps, 1e3, 1);
  return row;
}

std::vector<const sim::PaceLaw*> laws_of(const std::vector<PaceRuns>& all) {
  std::vector<const sim::PaceLaw*> laws;
  for (const PaceRuns& runs : all) {
    if (std::ranges::find(laws, runs.law) == laws.end()) laws.push_back(runs.law);
  }
  return laws;
}

const PaceRuns* find_runs(const std::vector<PaceRuns>& all, std::string_view law,
                          std::string_view policy) {
  const auto found = std::ranges::find_if(
      all, [&](const PaceRuns& runs) { return runs.law->name == law && runs.policy == policy; });
  return found == all.end() ? nullptr : &*found;
}

// Those with a fixed k are many; the fastest is enough to look at.
std::vector<const PaceRuns*> worth_plotting(const std::vector<PaceRuns>& all,
                                            const sim::PaceLaw* law) {
  std::vector<const PaceRuns*> chosen;
  const PaceRuns* fixed = nullptr;
  for (const PaceRuns& runs : all) {
    if (runs.law != law || runs.outcomes.empty()) continue;
    if (!runs.policy.starts_with("fixed:")) {
      chosen.push_back(&runs);
    } else if (fixed == nullptr || median_seconds(runs, kLast) < median_seconds(*fixed, kLast)) {
      fixed = &runs;
    }
  }
  if (fixed != nullptr) chosen.insert(chosen.begin(), fixed);
  return chosen;
}

// Enough to draw the line: where the choice changes, time goes on by a sixtieth, or the error by
// half.
std::vector<sim::PaceTracePoint> thinned(const std::vector<sim::PaceTracePoint>& trace,
                                         bool is_error) {
  std::vector<sim::PaceTracePoint> kept;
  for (const sim::PaceTracePoint& point : trace) {
    const bool is_end = kept.empty() || &point == &trace.back();
    const bool is_needed =
        is_end || (is_error ? point.seconds - kept.back().seconds > trace.back().seconds / 60 ||
                                  std::abs(std::log(point.error / kept.back().error)) > 0.4
                            : point.choice != kept.back().choice);
    if (is_needed) kept.push_back(point);
  }
  return kept;
}

struct Panel {
  std::string title;
  std::string y_label;
  bool is_error = false;
  std::function<double(const sim::PaceTracePoint&)> value;
};

Plot panel_of(const Panel& panel, const std::vector<const PaceRuns*>& chosen) {
  Plot plot{.title = panel.title,
            .x_label = "seconds",
            .y_label = panel.y_label,
            .log_y = panel.is_error,
            .x_from_zero = true,
            .y_from_zero = !panel.is_error,
            .width = 520,
            .height = panel.is_error ? 290 : 190};
  for (const PaceRuns* runs : chosen) {
    PlotSeries series{.name = runs->policy, .points = {}, .steps = !panel.is_error};
    for (const auto& point : thinned(runs->outcomes.front().trace, panel.is_error)) {
      series.points.push_back({point.seconds, panel.value(point)});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

// "auto under law A needs 1.2 times the time of x: more than 1".
std::optional<std::string> shortfall(std::string_view law, std::string_view what, double ours,
                                     const std::string& other, double theirs, double most) {
  if (std::isfinite(ours) && ours <= most * theirs) return std::nullopt;
  return fmt::format("law {}: auto takes {:.2f} of the {} of {}, demanded is at most {:.2f}", law,
                     ours / theirs, what, other, most);
}

}  // namespace

double median_seconds(const PaceRuns& runs, std::size_t target) {
  return median_of(runs,
                   [&](const sim::PaceOutcome& outcome) { return seconds_until(outcome, target); });
}

double median_assigned(const PaceRuns& runs) {
  return median_of(runs, [](const sim::PaceOutcome& outcome) {
    return static_cast<double>(outcome.totals.assigned);
  });
}

std::string pace_text(const std::vector<PaceRuns>& all) {
  std::string text =
      "simulated seconds until the error is 100, 10 and 1.5 times its floor, and what was "
      "computed\n";
  for (const sim::PaceLaw* law : laws_of(all)) {
    TextTable table({"policy", "to 100x", "to 10x", "to 1.5x", "worst", "assigned M", "performed M",
                     "used M", "messages k", "steps k"});
    std::size_t seeds = 0;
    for (const PaceRuns& runs : all) {
      if (runs.law != law) continue;
      table.add(table_row(runs));
      seeds = runs.seeds.size();
    }
    text += fmt::format("\nlaw {}: {}; {} {}\n{}", law->name, law->text, seeds,
                        seeds == 1 ? "seed" : "seeds, medians", table.to_string());
  }
  return text;
}

std::string pace_json_line(const PaceRuns& runs, std::size_t seed) {
  const sim::PaceOutcome& outcome = runs.outcomes[seed];
  std::string text = fmt::format(R"({{"law":"{}","policy":"{}","seed":{})", runs.law->name,
                                 runs.policy, runs.seeds[seed]);
  for (std::size_t i = 0; i <= kLast; ++i) {
    const double seconds = seconds_until(outcome, i);
    text += fmt::format(R"(,"seconds_to_{}x":{})", sim::kPaceTargets[i],
                        std::isfinite(seconds) ? fmt::format("{:.3f}", seconds) : "null");
  }
  const sim::PaceTotals& totals = outcome.totals;
  return text + fmt::format(R"(,"steps":{},"assigned":{},"performed":{},"used":{},"messages":{}}})",
                            totals.steps, totals.assigned, totals.performed, totals.used,
                            totals.messages);
}

std::string pace_svg(const std::vector<PaceRuns>& all) {
  const std::vector<const sim::PaceLaw*> laws = laws_of(all);
  const Panel panels[] = {
      {"", "error, by its floor", true, [](const auto& point) { return point.error; }},
      {"", "workers waited for", false, [](const auto& point) { return point.choice.k; }},
      {"", "samples per worker", false, [](const auto& point) { return point.choice.load; }}};
  std::vector<Plot> plots;
  for (const Panel& panel : panels) {
    for (const sim::PaceLaw* law : laws) {
      Panel titled = panel;
      if (panel.is_error) titled.title = fmt::format("{}: {}", law->name, law->text);
      plots.push_back(panel_of(titled, worth_plotting(all, law)));
    }
  }
  return to_svg_grid(plots, std::max<std::size_t>(laws.size(), 1));
}

PaceVerdict judge_pace(const std::vector<PaceRuns>& all) {
  PaceVerdict verdict;
  const auto judge = [&](std::optional<std::string> found) {
    ++verdict.judged;
    if (found) verdict.missed.push_back(std::move(*found));
  };
  if (const PaceRuns* ours = find_runs(all, "A", "auto")) {
    const double seconds = median_seconds(*ours, kLast);
    const double assigned = median_assigned(*ours);
    for (const PaceRuns& runs : all) {
      if (runs.law != ours->law) continue;
      const double theirs = median_seconds(runs, kLast);
      if (runs.policy.starts_with("fixed:")) {
        judge(shortfall("A", "time", seconds, runs.policy, theirs, 0.25));
      } else if (runs.policy == "oracle-k") {
        judge(shortfall("A", "time", seconds, runs.policy, theirs, 1));
        judge(shortfall("A", "gradients", assigned, runs.policy, median_assigned(runs), 0.6));
      } else if (runs.policy == "auto-k") {
        judge(shortfall("A", "gradients", assigned, runs.policy, median_assigned(runs), 0.7));
      }
    }
  }
  for (const std::string_view law : {"E", "F", "G", "H"}) {
    const PaceRuns* ours = find_runs(all, law, "auto");
    const PaceRuns* oracle = find_runs(all, law, "oracle");
    if (ours == nullptr || oracle == nullptr) continue;
    judge(shortfall(law, "time", median_seconds(*ours, kLast), "oracle",
                    median_seconds(*oracle, kLast), 1.5));
  }
  return verdict;
}

}  // namespace godwit
