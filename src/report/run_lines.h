// report/run_lines.h: which lines metrics.jsonl holds and what their fields are called. All that
// report.html shows can be read back from them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/metric_line.h"

namespace godwit {

// Fields of a line of progress, all optional except `seconds`. A line of progress has no "event".
namespace metric {
inline constexpr const char* kSeconds = "seconds";  // since the run began
inline constexpr const char* kEpoch = "epoch";
inline constexpr const char* kDone = "done";               // share of all work, 0 to 1
inline constexpr const char* kRate = "rate";               // of RunStart::rate_unit
inline constexpr const char* kLoss = "loss";               // on what was trained on
inline constexpr const char* kValidLoss = "valid_loss";    // on held-out data
inline constexpr const char* kQuality = "quality";         // RunStart::quality_name, held-out data
inline constexpr const char* kLocalShare = "local_share";  // of row uses without a wait, 0 to 1
inline constexpr const char* kSentRate = "sent_bytes_per_second";  // of all nodes
inline constexpr const char* kWaitRows = "wait_rows_share";        // of the workers' time, 0 to 1
inline constexpr const char* kWaitTicks = "wait_ticks_share";      // of the workers' time, 0 to 1
inline constexpr const char* kReplicas = "replicas";               // that exist now
inline constexpr const char* kRelocations = "relocations";         // since the run began
}  // namespace metric

// What is known before the first step.
struct RunStart {
  std::string task;  // "kge"
  std::string data;  // "wordnet"
  std::string date;  // for people: "2026-11-16 07:42:33"
  std::int64_t nodes = 1;
  std::int64_t workers = 1;  // of each node
  std::string quality_name;  // "MRR", "AUC"
  bool quality_higher_is_better = true;
  std::string rate_unit = "examples/s";
};

// A setting and who set it: "flag", "GODWIT_SEED", "godwit.toml", "built-in".
struct RunSetting {
  std::string name;
  std::string value;
  std::string source;
};

// Something a task wants to show: a text as it stands, or a table, whose first row is the header.
struct RunSection {
  std::string title;
  std::string text;
  std::vector<std::vector<std::string>> table;
};

// How the run ended. `figures` are shown as they are: {"test MRR", "0.478"}.
struct RunEnd {
  double seconds = 0;
  std::string outcome;  // "finished", "stopped early", "interrupted", "failed: ..."
  std::vector<std::pair<std::string, std::string>> figures;
};

MetricLine to_line(const RunStart& start);
MetricLine to_line(const RunSetting& setting);
// Line ends and tabs in the cells of a table become blanks.
MetricLine to_line(const RunSection& section);
MetricLine to_line(const RunEnd& end);
// One sentence about how the data were understood.
MetricLine data_note_line(const std::string& text);
MetricLine alarm_line(double seconds, const std::string& text);
// A fact about the machine: {"host", "worker-3"}.
MetricLine environment_line(const std::string& name, const std::string& value);

struct RunReport {
  std::vector<std::string> pictures;  // <svg> elements beside those of progress; not from lines
  RunStart start;
  std::optional<RunEnd> end;         // nothing: it goes on, or was killed
  std::vector<MetricLine> progress;  // in the order of time
  std::vector<RunSetting> settings;
  std::vector<std::pair<std::string, std::string>> environment;  // name and value
  std::vector<std::string> data_notes;
  std::vector<RunSection> sections;
  std::vector<std::pair<double, std::string>> alarms;  // seconds, and what was noticed
};

// What metrics.jsonl tells of a run. Lines of a kind that is not known are left out; of several
// starts (a run that was resumed) the last counts, of settings, sections and facts with one name
// the last too.
RunReport run_report_of(std::span<const MetricLine> lines);

}  // namespace godwit
