// report/run_report.cc: the page, from top to bottom.
#include "report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/progress.h"
#include "report/report_style.h"
#include "report/run_plots.h"
#include "report/svg_plot.h"
#include "report/text_table.h"
#include "report/xml_text.h"

namespace godwit {
namespace {

struct Reading {
  double value = 0;
  double seconds = 0;
};

std::vector<Reading> readings_of(const RunReport& report, const char* field) {
  std::vector<Reading> readings;
  for (const MetricLine& line : report.progress) {
    const double value = line.number(field).value_or(ProgressState::kUnknown);
    if (std::isfinite(value)) {
      readings.push_back({value, line.number(metric::kSeconds).value_or(0)});
    }
  }
  return readings;
}

double seconds_of(const RunReport& report) {
  if (report.end) return report.end->seconds;
  double seconds = 0;
  for (const MetricLine& line : report.progress) {
    seconds = std::max(seconds, line.number(metric::kSeconds).value_or(0));
  }
  return seconds;
}

// Short enough to be large, with its unit to stand below: {"1:43", "minutes"}.
std::pair<std::string, std::string> clock_text(double seconds) {
  if (!(seconds >= 0 && seconds < 1e12)) return {"?", "seconds"};
  if (seconds < 60) return {fmt::format("{:.1f}", seconds), "seconds"};
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole < 3600) return {fmt::format("{}:{:02}", whole / 60, whole % 60), "minutes"};
  return {fmt::format("{}:{:02}", whole / 3600, whole / 60 % 60), "hours"};
}

std::string figure(std::string_view name, std::string_view value, std::string_view note,
                   bool is_main = false) {
  return fmt::format(
      "<div class=\"card figure{}\"><div class=\"name\">{}</div><div class=\"value\">{}</div>"
      "<div class=\"note\">{}</div></div>\n",
      is_main ? " main" : "", xml_text(name), xml_text(value), xml_text(note));
}

std::string head(const RunReport& report) {
  const std::string title = fmt::format("{} on {}", report.start.task, report.start.data);
  const std::string outcome = report.end ? report.end->outcome : "not ended";
  const bool good = outcome == "finished" || outcome.starts_with("stopped early");
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{} | Godwit</title>\n<style>{}</style>\n</head>\n<body>\n",
      xml_text(title), kReportStyle);
  html += fmt::format(
      "<header>\n<div class=\"brand\">Godwit training report</div>\n"
      "<h1>{} <span>on</span> {}</h1>\n<div class=\"facts\"><span class=\"badge {}\">{}</span>",
      xml_text(report.start.task), xml_text(report.start.data), good ? "good" : "bad",
      xml_text(outcome));
  if (!report.start.date.empty()) {
    html += fmt::format("<span>{}</span>", xml_text(report.start.date));
  }
  for (const auto& [name, value] : report.environment) {
    if (name == "host") html += fmt::format("<span>{}</span>", xml_text(value));
  }
  return html + "</div>\n</header>\n";
}

std::string quality_figures(const RunReport& report) {
  const std::vector<Reading> qualities = readings_of(report, metric::kQuality);
  if (qualities.empty()) return "";
  const std::string name =
      report.start.quality_name.empty() ? "quality" : report.start.quality_name;
  const auto by_value = [](const Reading& a, const Reading& b) { return a.value < b.value; };
  const Reading best = report.start.quality_higher_is_better
                           ? *std::max_element(qualities.begin(), qualities.end(), by_value)
                           : *std::min_element(qualities.begin(), qualities.end(), by_value);
  return figure(name, fmt::format("{:.4g}", qualities.back().value),
                report.end ? "held-out data" : "held-out data, so far", true) +
         figure("best " + name, fmt::format("{:.4g}", best.value),
                "after " + duration_text(best.seconds));
}

std::string figures(const RunReport& report) {
  std::string html = "<section class=\"figures\">\n" + quality_figures(report);
  if (report.end) {
    for (const auto& [name, value] : report.end->figures) html += figure(name, value, "");
  }
  const auto [time, unit] = clock_text(seconds_of(report));
  html += figure("time", time, report.end ? unit : unit + " so far");
  html +=
      figure("nodes × workers", fmt::format("{} × {}", report.start.nodes, report.start.workers),
             fmt::format("{} in all", report.start.nodes * report.start.workers));
  const std::vector<Reading> rates = readings_of(report, metric::kRate);
  if (!rates.empty()) {
    double sum = 0;
    for (const Reading& rate : rates) sum += rate.value;
    const double mean = sum / static_cast<double>(rates.size());
    html += figure("throughput",
                   tick_text(mean, std::pow(10, std::floor(std::log10(std::max(mean, 1e-9))) - 2)),
                   report.start.rate_unit + ", mean");
  }
  const std::vector<Reading> local = readings_of(report, metric::kLocalShare);
  if (!local.empty()) {
    html += figure("local share", fmt::format("{:.1f} %", 100 * local.back().value), "of row uses");
  }
  return html + "</section>\n";
}

std::string plots(const RunReport& report) {
  std::string html = "<h2>Over time</h2>\n<section class=\"plots\">\n";
  for (const Plot& plot : run_plots(report)) {
    html += "<div class=\"card plot\">" + to_svg(plot) + "</div>\n";
  }
  for (const std::string& picture : report.pictures) {
    html += "<div class=\"card plot\">" + picture + "</div>\n";
  }
  return html + "</section>\n";
}

// Right-aligned where all that stands below the header are numbers.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  const std::vector<bool> is_number = number_columns(rows);
  std::string html = "<div class=\"card scroll\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    html += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool right = c < is_number.size() && is_number[c];
      html += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td",
                          right ? " class=\"number\"" : "", xml_text(rows[r][c]));
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string sections(const RunReport& report) {
  std::string html;
  for (const RunSection& section : report.sections) {
    html += fmt::format("<section><h2>{}</h2>\n", xml_text(section.title));
    if (!section.text.empty()) {
      html += fmt::format("<div class=\"card\"><pre>{}</pre></div>\n", xml_text(section.text));
    }
    if (!section.table.empty()) html += table(section.table);
    html += "</section>\n";
  }
  if (html.empty()) return html;
  return "<div class=\"columns\">\n" + html + "</div>\n";
}

std::string data_and_environment(const RunReport& report) {
  std::string html;
  if (!report.alarms.empty()) {
    html += "<section><h2>Alarms</h2>\n<div class=\"card scroll\"><table>\n";
    for (const auto& [seconds, what] : report.alarms) {
      html += fmt::format("<tr><td class=\"key\">{:.1f} s</td><td>{}</td></tr>\n", seconds,
                          xml_text(what));
    }
    html += "</table></div></section>\n";
  }
  if (!report.data_notes.empty()) {
    html += "<section><h2>Data, as understood</h2>\n<div class=\"card\"><ul>\n";
    for (const std::string& note : report.data_notes) {
      html += fmt::format("<li>{}</li>\n", xml_text(note));
    }
    html += "</ul></div></section>\n";
  }
  if (!report.environment.empty()) {
    html += "<section><h2>Environment</h2>\n<div class=\"card scroll\"><table>\n";
    for (const auto& [name, value] : report.environment) {
      html += fmt::format("<tr><td class=\"key\">{}</td><td>{}</td></tr>\n", xml_text(name),
                          xml_text(value));
    }
    html += "</table></div></section>\n";
  }
  if (html.empty()) return html;
  return "<div class=\"columns\">\n" + html + "</div>\n";
}

std::string settings(const RunReport& report) {
  if (report.settings.empty()) return "";
  std::string html =
      "<h2>Settings</h2>\n<div class=\"card scroll\"><table>\n"
      "<tr><th>name</th><th>value</th><th>where from</th></tr>\n";
  for (const RunSetting& setting : report.settings) {
    html += fmt::format(
        "<tr><td class=\"key\"><code>{}</code></td><td><code>{}</code></td><td class=\"{}\">{}"
        "</td></tr>\n",
        xml_text(setting.name), xml_text(setting.value),
        setting.source == "built-in" || setting.source == "auto" ? "default" : "chosen",
        xml_text(setting.source));
  }
  return html + "</table></div>\n";
}

}  // namespace

std::string run_report_html(const RunReport& report) {
  return head(report) + "<main>\n" + figures(report) + plots(report) + sections(report) +
         data_and_environment(report) + settings(report) +
         "</main>\n<footer>Point at a line to read its values."
         "</footer>\n</body>\n</html>\n";
}

}  // namespace godwit
