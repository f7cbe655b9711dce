// report/run_plots.cc: which fields make which plot.
#include "report/run_plots.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace godwit {
namespace {

struct TimeUnit {
  const char* name;
  double seconds;
};

TimeUnit time_unit_of(const std::vector<MetricLine>& lines) {
  double longest = 0;
  for (const MetricLine& line : lines) {
    const double seconds = line.number(metric::kSeconds).value_or(0);
    if (std::isfinite(seconds)) longest = std::max(longest, seconds);
  }
  if (longest > 3 * 3600) return {"hours", 3600};
  if (longest > 180) return {"minutes", 60};
  return {"seconds", 1};
}

class Plotter {
 public:
  explicit Plotter(const std::vector<MetricLine>& lines)
      : lines_(lines), unit_(time_unit_of(lines)) {}

  PlotSeries series(std::string name, const char* field, double factor, bool steps) const {
    PlotSeries made{.name = std::move(name), .points = {}, .steps = steps};
    for (const MetricLine& line : lines_) {
      const auto seconds = line.number(metric::kSeconds);
      const auto value = line.number(field);
      if (seconds && value) made.points.push_back({*seconds / unit_.seconds, *value * factor});
    }
    return made;
  }

  Plot plot(std::string title, std::string y_label, std::vector<PlotSeries> series) const {
    std::erase_if(series, [](const PlotSeries& one) { return one.points.empty(); });
    return {.title = std::move(title),
            .x_label = unit_.name,
            .y_label = std::move(y_label),
            .x_from_zero = true,
            .series = std::move(series)};
  }

 private:
  const std::vector<MetricLine>& lines_;
  TimeUnit unit_;
};

// A loss that falls by orders of magnitude would be a line along the axis.
bool spans_magnitudes(const Plot& plot) {
  double low = INFINITY;
  double high = 0;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      if (!std::isfinite(point.y)) continue;
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  return low > 0 && high > 50 * low;
}

}  // namespace

std::vector<Plot> run_plots(const RunReport& report) {
  const Plotter plotter(report.progress);
  std::vector<Plot> plots;
  plots.push_back(plotter.plot("Loss", "mean per example",
                               {plotter.series("training", metric::kLoss, 1, false),
                                plotter.series("held out", metric::kValidLoss, 1, false)}));
  plots.back().log_y = spans_magnitudes(plots.back());
  const std::string name =
      report.start.quality_name.empty() ? "quality" : report.start.quality_name;
  plots.push_back(plotter.plot(
      "Quality",
      name + (report.start.quality_higher_is_better ? ", higher is better" : ", lower is better"),
      {plotter.series(name, metric::kQuality, 1, false)}));

  const auto add_if_known = [&](Plot plot, const char* y_unit, bool from_zero) {
    if (plot.series.empty()) return;
    plot.y_unit = y_unit;
    plot.y_from_zero = from_zero;
    plots.push_back(std::move(plot));
  };
  add_if_known(plotter.plot("Throughput", report.start.rate_unit,
                            {plotter.series("throughput", metric::kRate, 1, false)}),
               "", true);
  add_if_known(plotter.plot("Local share", "row uses that waited for no other node",
                            {plotter.series("local", metric::kLocalShare, 100, false)}),
               "%", false);
  add_if_known(plotter.plot("Sent", "bytes per second, all nodes together",
                            {plotter.series("sent", metric::kSentRate, 1, false)}),
               "B/s", true);
  add_if_known(plotter.plot("Waiting", "share of the workers' time",
                            {plotter.series("for rows", metric::kWaitRows, 100, false),
                             plotter.series("for ticks", metric::kWaitTicks, 100, false)}),
               "%", true);
  add_if_known(plotter.plot("Replicas", "copies of rows that exist",
                            {plotter.series("replicas", metric::kReplicas, 1, true)}),
               "", true);
  add_if_known(plotter.plot("Relocations", "rows that changed their owner, since the start",
                            {plotter.series("relocations", metric::kRelocations, 1, true)}),
               "", true);
  return plots;
}

}  // namespace godwit
