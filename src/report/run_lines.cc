// report/run_lines.cc: structs as lines and back.
#include "report/run_lines.h"

#include <algorithm>
#include <functional>

namespace godwit {
namespace {

MetricLine event(const char* name) {
  MetricLine line;
  line.add("event", name);
  return line;
}

// Cells between tabs, rows between line ends.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    if (!text.empty()) text += '\n';
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i];
      std::ranges::replace_if(
          cell, [](char c) { return c == '\t' || c == '\n'; }, ' ');
      if (i > 0) text += '\t';
      text += cell;
    }
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::vector<std::string>> table_of(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  if (text.empty()) return rows;
  for (const std::string& row : split(text, '\n')) rows.push_back(split(row, '\t'));
  return rows;
}

// Bounded, since the file may hold anything.
std::int64_t count_in(const MetricLine& line, const char* name) {
  const double count = line.number(name).value_or(1);
  return count >= 0 && count <= 1e9 ? static_cast<std::int64_t>(count) : 1;
}

RunStart start_of(const MetricLine& line) {
  RunStart start;
  start.task = line.text("task");
  start.data = line.text("data");
  start.date = line.text("date");
  start.nodes = count_in(line, "nodes");
  start.workers = count_in(line, "workers");
  start.quality_name = line.text("quality_name");
  start.quality_higher_is_better = line.number("quality_higher_is_better").value_or(1) != 0;
  start.rate_unit = line.text("rate_unit");
  return start;
}

RunEnd end_of(const MetricLine& line) {
  RunEnd end;
  end.seconds = line.number(metric::kSeconds).value_or(0);
  end.outcome = line.text("outcome");
  for (const std::vector<std::string>& row : table_of(line.text("figures"))) {
    if (row.size() == 2) end.figures.emplace_back(row[0], row[1]);
  }
  return end;
}

// In the place of the one with the same name, else at the end.
template <class Thing, class Name>
void put(std::vector<Thing>& things, Thing thing, Name name) {
  const auto found = std::ranges::find_if(things, [&](const Thing& other) {
    return std::invoke(name, other) == std::invoke(name, thing);
  });
  if (found == things.end()) {
    things.push_back(std::move(thing));
  } else {
    *found = std::move(thing);
  }
}

}  // namespace

MetricLine to_line(const RunStart& start) {
  MetricLine line = event("start");
  line.add("task", start.task).add("data", start.data).add("date", start.date);
  line.add("nodes", start.nodes).add("workers", start.workers);
  line.add("quality_name", start.quality_name);
  line.add("quality_higher_is_better", start.quality_higher_is_better);
  line.add("rate_unit", start.rate_unit);
  return line;
}

MetricLine to_line(const RunSetting& setting) {
  MetricLine line = event("setting");
  line.add("name", setting.name).add("value", setting.value).add("source", setting.source);
  return line;
}

MetricLine to_line(const RunSection& section) {
  MetricLine line = event("section");
  line.add("title", section.title);
  if (!section.text.empty()) line.add("text", section.text);
  if (!section.table.empty()) line.add("table", table_text(section.table));
  return line;
}

MetricLine to_line(const RunEnd& end) {
  MetricLine line = event("end");
  line.add(metric::kSeconds, end.seconds).add("outcome", end.outcome);
  line.add("figures", table_text([&] {
             std::vector<std::vector<std::string>> rows;
             for (const auto& [name, value] : end.figures) rows.push_back({name, value});
             return rows;
           }()));
  return line;
}

MetricLine data_note_line(const std::string& text) {
  MetricLine line = event("data");
  line.add("text", text);
  return line;
}

MetricLine alarm_line(double seconds, const std::string& text) {
  MetricLine line = event("alarm");
  line.add(metric::kSeconds, seconds).add("text", text);
  return line;
}

MetricLine environment_line(const std::string& name, const std::string& value) {
  MetricLine line = event("environment");
  line.add("name", name).add("value", value);
  return line;
}

RunReport run_report_of(std::span<const MetricLine> lines) {
  using Fact = std::pair<std::string, std::string>;
  RunReport report;
  for (const MetricLine& line : lines) {
    const std::string_view event = line.text("event");
    const auto text = [&](const char* name) { return std::string(line.text(name)); };
    if (event.empty()) {
      report.progress.push_back(line);
    } else if (event == "start") {
      report.start = start_of(line);
      report.end.reset();  // a run that goes on has not ended
    } else if (event == "end") {
      report.end = end_of(line);
    } else if (event == "setting") {
      put(report.settings, RunSetting{text("name"), text("value"), text("source")},
          &RunSetting::name);
    } else if (event == "section") {
      put(report.sections, RunSection{text("title"), text("text"), table_of(line.text("table"))},
          &RunSection::title);
    } else if (event == "environment") {
      put(report.environment, Fact{text("name"), text("value")}, &Fact::first);
    } else if (event == "alarm") {
      report.alarms.emplace_back(line.number(metric::kSeconds).value_or(0), text("text"));
    } else if (event == "data") {
      put(report.data_notes, text("text"), [](const std::string& note) { return note; });
    }
  }
  return report;
}

}  // namespace godwit
