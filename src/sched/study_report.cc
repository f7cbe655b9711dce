// sched/study_report.cc: the page, from top to bottom.
#include "sched/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/report_style.h"
#include "report/svg_grid.h"
#include "report/svg_plot.h"
#include "report/xml_text.h"
#include "sched/gantt.h"

namespace godwit {
namespace {

Plot over_time(const Study& study, const char* title, const char* unit,
               std::vector<double> SimulationOutcome::*values, double factor) {
  Plot plot{.title = title, .x_label = "slot", .y_label = "", .y_unit = unit, .y_from_zero = true};
  for (const PolicyRuns& runs : study.runs) {
    PlotSeries series{.name = runs.policy, .points = {}};
    const std::vector<double>& all = runs.last.*values;
    for (std::size_t t = 0; t < all.size(); ++t) {
      series.points.push_back({static_cast<double>(t), factor * all[t]});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::vector<Plot> plots_of(const Study& study) {
  return {over_time(study, "Utility gained", "", &SimulationOutcome::utility, 1),
          over_time(study, "Used, of the resource used most", "%", &SimulationOutcome::used, 100)};
}

std::string figure_table(const Study& study) {
  std::string html = "<div class=\"card scroll\"><table>\n<tr><th>figure</th>";
  for (const PolicyRuns& runs : study.runs) {
    html += fmt::format("<th class=\"number\">{}</th>", xml_text(runs.policy));
  }
  html += "</tr>\n";
  const auto add_row = [&](std::string_view name, const auto& values_by) {
    html += fmt::format("<tr><td class=\"key\">{}</td>", xml_text(name));
    for (const PolicyRuns& runs : study.runs) {
      const std::vector<double> values = values_by(runs);
      html += fmt::format("<td class=\"number\">{:.4g}{}</td>", mean(values),
                          values.size() > 1 ? fmt::format(" ± {:.2g}", interval(values)) : "");
    }
    html += "</tr>\n";
  };
  for (const MetricField& field : metric_fields()) {
    add_row(field.name, [&](const PolicyRuns& runs) { return values_of(runs, field.field); });
  }
  for (std::size_t r = 0; r < study.facts.resources.size(); ++r) {
    add_row("used_" + study.facts.resources[r],
            [&](const PolicyRuns& runs) { return used_of(runs, r); });
  }
  if (!study.facts.bounds.empty()) {
    add_row("of_bound", [&](const PolicyRuns& runs) { return shares_of_bound(study.facts, runs); });
  }
  return html + "</table></div>\n";
}

std::string winner(const Study& study) {
  const auto best = std::ranges::max_element(study.runs, {}, [](const PolicyRuns& runs) {
    return mean(values_of(runs, &SimMetrics::utility));
  });
  const double utility = mean(values_of(*best, &SimMetrics::utility));
  std::string html = fmt::format(
      "<section class=\"figures\">\n<div class=\"card figure main\"><div class=\"name\">highest "
      "utility</div><div class=\"value\">{:.4g}</div><div class=\"note\">{}</div></div>\n",
      utility, xml_text(best->policy));
  if (!study.facts.bounds.empty()) {
    html += fmt::format(
        "<div class=\"card figure\"><div class=\"name\">no schedule has more than</div>"
        "<div class=\"value\">{:.4g}</div><div class=\"note\">certified by the dual</div></div>\n",
        mean(study.facts.bounds));
  }
  return html + "</section>\n";
}

}  // namespace

std::string study_svg(const Study& study) {
  return to_svg_grid(plots_of(study), 2);
}

std::string study_html(const Study& study) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{} | Godwit</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<header>\n<div class=\"brand\">Godwit scheduling report</div>\n<h1>{}</h1>\n</header>\n"
      "<main>\n",
      xml_text(study.facts.instance), kReportStyle, xml_text(study.facts.instance));
  html += winner(study);
  html += fmt::format("<h2>What was simulated</h2>\n<div class=\"card\"><pre>{}</pre></div>\n",
                      xml_text(facts_text(study.facts)));
  html += "<h2>Over time, first seed</h2>\n<section class=\"plots\">\n";
  for (const Plot& plot : plots_of(study)) {
    html += "<div class=\"card plot\">" + to_svg(plot) + "</div>\n";
  }
  html += "</section>\n<h2>Figures</h2>\n" + figure_table(study);
  for (const PolicyRuns& runs : study.runs) {
    if (runs.last.plans.empty()) continue;
    html += fmt::format("<h2>Machines, {}</h2>\n<div class=\"card plot\">{}</div>\n",
                        xml_text(runs.policy), gantt_svg(study.first, runs.last, runs.policy));
  }
  return html +
         "</main>\n<footer>Times are in slots. Point at a bar to see whose it is.</footer>\n"
         "</body>\n</html>\n";
}

}  // namespace godwit
