// report/step_files.cc: CSV of steps, and their pictures.
#include "report/step_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/parse_number.h"
#include "report/csv_rows.h"
#include "report/svg_plot.h"
#include "report/timing_map.h"

namespace godwit {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

// The fields of a line, one after the other, as long as they are what they should be.
class CsvFields {
 public:
  explicit CsvFields(std::string_view line) : cells_(cells_of(line)) {}

  // An empty one is a number that is not known.
  CsvFields& take(double& value) {
    const std::string_view cell = next();
    value = cell.empty() ? std::nan("") : parsed<double>(cell);
    return *this;
  }
  CsvFields& take(std::string& value) {
    value = next();
    return *this;
  }
  template <class Whole>
  CsvFields& take(Whole& value) {
    value = parsed<Whole>(next());
    return *this;
  }
  bool are_all_taken() const { return is_good_ && taken_ == cells_.size(); }

 private:
  std::string_view next() {
    is_good_ = is_good_ && taken_ < cells_.size();
    return is_good_ ? cells_[taken_++] : std::string_view();
  }
  template <class Number>
  Number parsed(std::string_view cell) {
    const auto number = parse_number<Number>(cell);
    is_good_ = is_good_ && number;
    return number.value_or(Number{});
  }

  std::vector<std::string_view> cells_;
  std::size_t taken_ = 0;
  bool is_good_ = true;
};

// Means over stretches of steps, so that a line can be seen through the noise.
class Smooth {
 public:
  explicit Smooth(std::size_t count) : stretch_(std::max<std::size_t>(1, count / 300)) {}

  void add(double x, double y) {
    if (!std::isfinite(y)) return;
    sum_ += y;
    if (++in_ < stretch_) return;
    points_.push_back({x, sum_ / static_cast<double>(in_)});
    in_ = 0;
    sum_ = 0;
  }
  std::vector<PlotPoint> take() { return std::move(points_); }

 private:
  const std::size_t stretch_;
  std::size_t in_ = 0;
  double sum_ = 0;
  std::vector<PlotPoint> points_;
};

template <class X>
Plot loss_plot(const std::vector<StepRecord>& steps, std::string title, std::string x_label,
               X&& x) {
  Smooth smooth(steps.size());
  for (const StepRecord& step : steps) smooth.add(x(step), step.loss);
  return {.title = std::move(title),
          .x_label = std::move(x_label),
          .y_label = "loss of a sample, mean",
          .x_from_zero = true,
          .series = {{.name = "loss", .points = smooth.take()}}};
}

Plot choice_plot(const std::vector<StepRecord>& steps) {
  Plot plot{.title = "Whom a step waits for, and how much each computes",
            .x_label = "seconds",
            .y_label = "workers; samples",
            .x_from_zero = true,
            .y_from_zero = true,
            .series = {{.name = "k", .points = {}, .steps = true},
                       {.name = "load", .points = {}, .steps = true}},
            .height = 200};
  for (const StepRecord& step : steps) {
    plot.series[0].points.push_back({step.seconds, static_cast<double>(step.k)});
    plot.series[1].points.push_back({step.seconds, static_cast<double>(step.load)});
  }
  return plot;
}

Plot time_plot(const std::vector<StepRecord>& steps) {
  Plot plot{.title = "Length of a step",
            .x_label = "seconds",
            .y_label = "milliseconds",
            .x_from_zero = true,
            .y_from_zero = true,
            .series = {{.name = "measured", .points = {}}, {.name = "expected", .points = {}}}};
  Smooth measured(steps.size());
  Smooth expected(steps.size());
  for (const StepRecord& step : steps) {
    measured.add(step.seconds, 1e3 * step.took);
    expected.add(step.seconds, 1e3 * step.expected);
  }
  plot.series[0].points = measured.take();
  plot.series[1].points = expected.take();
  return plot;
}

// By worker, at the end: x is the worker's place.
Plot workers_plot(const std::vector<StepWorkerRecord>& workers, bool is_inclusion) {
  std::map<std::pair<std::int64_t, std::int64_t>, StepWorkerRecord> last;
  for (const StepWorkerRecord& worker : workers) last[{worker.node, worker.worker}] = worker;
  Plot plot{.title = is_inclusion ? "How often each worker counted" : "Times of workers",
            .x_label = "worker",
            .y_label = is_inclusion ? "results" : "milliseconds; computing: of 100 samples",
            .y_from_zero = true};
  if (is_inclusion) {
    plot.series = {{.name = "results", .points = {}, .steps = true}};
  } else {
    plot.series = {{.name = "comm", .points = {}, .steps = true},
                   {.name = "comm p95", .points = {}, .steps = true},
                   {.name = "compute x100", .points = {}, .steps = true},
                   {.name = "compute x100 p95", .points = {}, .steps = true}};
  }
  double x = 0;
  for (const auto& [place, worker] : last) {
    if (is_inclusion) {
      plot.series[0].points.push_back({x, static_cast<double>(worker.included)});
    } else {
      plot.series[0].points.push_back({x, 1e3 * worker.comm_median});
      plot.series[1].points.push_back({x, 1e3 * worker.comm_p95});
      plot.series[2].points.push_back({x, 1e5 * worker.compute_median});
      plot.series[3].points.push_back({x, 1e5 * worker.compute_p95});
    }
    ++x;
  }
  return plot;
}

}  // namespace

std::string steps_csv_header() {
  return "j,t,k,b,B,T_round,used,late_applied,late_dropped,cancelled,loss,V,G2,mu_hat,stage,reason,"
         "assigned,live\n";
}

std::string steps_csv(const std::vector<StepRecord>& steps) {
  std::string text;
  for (const StepRecord& s : steps) {
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.step,
                    number(s.seconds), s.k, s.load, s.samples, number(s.took), s.used,
                    s.late_applied, s.late_dropped, s.cancelled, number(s.loss), number(s.variance),
                    number(s.gradient), number(s.expected), s.stage, s.reason, s.assigned, s.live);
  }
  return text;
}

std::vector<StepRecord> read_steps_csv(std::string_view text) {
  std::vector<StepRecord> steps;
  while (text.find('\n') != std::string_view::npos) {  // a line without an end is cut short
    CsvFields fields(take_line(text));
    StepRecord s;
    fields.take(s.step).take(s.seconds).take(s.k).take(s.load).take(s.samples).take(s.took);
    fields.take(s.used).take(s.late_applied).take(s.late_dropped).take(s.cancelled).take(s.loss);
    fields.take(s.variance).take(s.gradient).take(s.expected).take(s.stage).take(s.reason);
    fields.take(s.assigned).take(s.live);
    if (fields.are_all_taken()) steps.push_back(std::move(s));
  }
  return steps;
}

std::string step_workers_csv_header() {
  return "j,node,worker,comm_median,comm_p95,compute_median,compute_p95,included,live\n";
}

std::string step_workers_csv(const std::vector<StepWorkerRecord>& workers) {
  std::string text;
  for (const StepWorkerRecord& w : workers) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", w.step, w.node, w.worker,
                        number(w.comm_median), number(w.comm_p95), number(w.compute_median),
                        number(w.compute_p95), w.included, w.is_live ? 1 : 0);
  }
  return text;
}

std::vector<StepWorkerRecord> read_step_workers_csv(std::string_view text) {
  std::vector<StepWorkerRecord> workers;
  while (text.find('\n') != std::string_view::npos) {
    CsvFields fields(take_line(text));
    StepWorkerRecord w;
    int is_live = 0;
    fields.take(w.step).take(w.node).take(w.worker).take(w.comm_median).take(w.comm_p95);
    fields.take(w.compute_median).take(w.compute_p95).take(w.included).take(is_live);
    w.is_live = is_live != 0;
    if (fields.are_all_taken()) workers.push_back(w);
  }
  return workers;
}

std::vector<std::string> step_pictures(const StepReport& report) {
  if (report.steps.empty()) return {};
  std::vector<std::string> pictures;
  double gradients = 0;
  double messages = 0;
  pictures.push_back(to_svg(loss_plot(report.steps, "Loss over time", "seconds",
                                      [](const StepRecord& step) { return step.seconds; })));
  pictures.push_back(to_svg(choice_plot(report.steps)));
  pictures.push_back(to_svg(time_plot(report.steps)));
  pictures.push_back(to_svg(loss_plot(
      report.steps, "Loss over gradients given out", "gradients of a sample",
      [&](const StepRecord& step) { return gradients += static_cast<double>(step.assigned); })));
  pictures.push_back(to_svg(loss_plot(
      report.steps, "Loss over messages", "results that came",
      [&](const StepRecord& step) { return messages += step.used + step.late_dropped; })));
  if (!report.expected.empty()) pictures.push_back(timing_map(report));
  if (!report.workers.empty()) {
    pictures.push_back(to_svg(workers_plot(report.workers, false)));
    pictures.push_back(to_svg(workers_plot(report.workers, true)));
  }
  return pictures;
}

}  // namespace godwit
