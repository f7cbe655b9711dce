// report/run_report.h: report.html of a run: one file that needs nothing else, no network and no
// script. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/metric_line.h"
#include "report/run_lines.h"

namespace godwit {

struct RunReport {
  RunStart start;
  std::optional<RunEnd> end;         // nothing: it goes on, or was killed
  std::vector<MetricLine> progress;  // in the order of time
  std::vector<RunSetting> settings;
  std::vector<std::pair<std::string, std::string>> environment;  // name and value
  std::vector<std::string> data_notes;
  std::vector<RunSection> sections;
};

// What metrics.jsonl tells of a run. Lines of a kind that is not known are left out; of several
// starts (a run that was resumed) the last counts, of settings, sections and facts with one name
// the last too.
RunReport run_report_of(std::span<const MetricLine> lines);

// A whole page: well-formed as XML too. Any text may stand in the report: it is escaped.
std::string run_report_html(const RunReport& report);

}  // namespace godwit
