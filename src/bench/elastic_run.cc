// bench/elastic_run.cc: judgements as of any training, and the last word of every group.
#include "bench/elastic_run.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "report/csv_rows.h"
#include "report/svg_grid.h"
#include "report/svg_plot.h"

namespace godwit {
namespace {

struct Told {
  double samples = 0;
  double steps = 0;
  double exchanges = 0;
  double exchange_seconds = 0;
  double seconds = 0;
  double bytes = 0;
};

Plot empty_plot(std::string title, std::string x_label, const std::string& figure) {
  return {.title = std::move(title),
          .x_label = std::move(x_label),
          .y_label = figure + " on the test split",
          .y_unit = "",
          .series = {}};
}

}  // namespace

Result<ElasticRun> read_elastic_run(std::string_view metrics, std::string_view groups,
                                    std::string_view figure) {
  GODWIT_TRY_ASSIGN(const JudgedRun judged, read_pace_run(metrics, std::nullopt, figure));
  ElasticRun run{.judged = judged.judged, .judged_bytes = {}};
  std::map<std::int64_t, Told> last;  // of each group
  std::vector<std::pair<double, double>> bytes_by_time;
  CsvRows rows(groups);
  while (rows.next()) {
    const auto at = rows.number("seconds");
    const auto group = rows.number("group");
    const auto samples = rows.number("samples");
    const auto steps = rows.number("steps");
    const auto exchanges = rows.number("exchanges");
    const auto exchanging = rows.number("exchange_seconds");
    const auto seconds = rows.number("train_seconds");
    const auto bytes = rows.number("sent_bytes");
    if (!at || !group || !samples || !steps || !exchanges || !exchanging || !seconds || !bytes) {
      return corruption("groups.csv: '{}'", rows.line());
    }
    last[static_cast<std::int64_t>(*group)] = {*samples,    *steps,   *exchanges,
                                               *exchanging, *seconds, *bytes};
    double sum = 0;
    for (const auto& [number, told] : last) sum += told.bytes;
    bytes_by_time.emplace_back(*at, sum);
  }
  if (last.empty()) return corruption("groups.csv has no group");
  for (const auto& [number, told] : last) {
    run.samples += told.samples;
    run.steps += told.steps;
    run.exchanges += told.exchanges;
    run.exchange_seconds += told.exchange_seconds;
    run.seconds += told.seconds;
    run.sent_bytes += told.bytes;
  }
  for (const JudgedRun::Judged& now : run.judged) {
    double bytes = 0;
    for (const auto& [seconds, sum] : bytes_by_time) {
      if (seconds <= now.seconds) bytes = sum;
    }
    run.judged_bytes.push_back(bytes);
  }
  return run;
}

std::string elastic_picture(const std::vector<NamedRun>& runs, const std::string& figure) {
  std::vector<Plot> plots;  // two for each kind of groups
  std::map<std::string, std::size_t> first;
  for (const NamedRun& named : runs) {
    const auto [at, is_new] = first.try_emplace(named.groups, plots.size());
    if (is_new) {
      plots.push_back(empty_plot(named.groups + ": over time", "seconds", figure));
      plots.push_back(
          empty_plot(named.groups + ": over bytes", "MB sent to tables, as a power of 10", figure));
      plots[at->second].x_from_zero = true;
    }
    PlotSeries by_time{.name = named.mode, .points = {}};
    PlotSeries by_bytes{.name = named.mode, .points = {}};
    for (std::size_t i = 0; i < named.run.judged.size(); ++i) {
      const JudgedRun::Judged& now = named.run.judged[i];
      by_time.points.push_back({now.seconds, now.value});
      // Modes differ by factors of a hundred. Before anything was sent: no point.
      by_bytes.points.push_back({std::log10(named.run.judged_bytes[i] / 1e6), now.value});
    }
    plots[at->second].series.push_back(std::move(by_time));
    plots[at->second + 1].series.push_back(std::move(by_bytes));
  }
  return to_svg_grid(plots, 2);
}

}  // namespace godwit
