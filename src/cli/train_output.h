// cli/train_output.h: what node 0 of a training says and leaves behind: progress on the terminal,
// lines for programs, the run's directory and its report. Not thread-safe.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "cli/train_options.h"
#include "godwit/result.h"
#include "godwit/steps.h"
#include "report/progress.h"
#include "report/run_dir.h"
#include "report/run_lines.h"
#include "train/progress_board.h"
#include "train/settings.h"
#include "train/tasks.h"
#include "train/training_loop.h"

namespace godwit {

// Names of Session::metrics() that the loop adds up over the nodes.
const std::vector<std::string>& watched_counters();
const std::vector<std::string>& watched_levels();

class TrainOutput {
 public:
  // Where a run is written to; `run` is a directory that is there already, or a new one's.
  TrainOutput(const TrainOptions& options, const TaskKind& kind, Disk& disk, const TimeSource& time,
              std::ostream& out, std::ostream& err);

  // Makes the directory, or goes on in the one of `options.run`. The path of the run.
  Result<std::string> open(const std::string& data_name);

  void begin(const Settings& settings, const Task& task, std::int64_t nodes, std::int64_t workers,
             std::int64_t epochs, bool is_resumed);
  void on_segment(const SegmentReport& report);
  void on_judged(const JudgeReport& report);
  // What has come of steps since the last time, if the task trains in steps. Nothing before open().
  void on_steps(StepReport report);
  // What groups have done so far, and which of how many are live, if the task is trained by groups.
  void on_groups(const std::vector<GroupWork>& groups, double seconds);
  void on_live_groups(const std::vector<std::int64_t>& live, std::int64_t groups, double seconds);
  void warn(const std::string& text);
  // All is over: figures, sections, report.html.
  void end(const LoopResult& result, const std::vector<RunSection>& sections);
  void fail(const Error& error);

  const std::string& path() const { return path_; }

 private:
  void write(const MetricLine& line);
  void say(const std::string& line);
  void write_report();
  void read_steps();
  Figures job_figures(const SegmentReport& report);

  const TrainOptions& options_;
  const TaskKind& kind_;
  Disk& disk_;
  std::ostream& out_;
  std::ostream& err_;
  const bool is_json_;
  Progress progress_;
  std::string path_;
  std::string data_name_;
  std::optional<RunDir> dir_;
  std::vector<MetricLine> lines_;
  bool has_failed_to_write_ = false;
  std::int64_t epochs_ = 0;
  std::int64_t workers_ = 1;  // of all nodes
  double seconds_ = 0;
  ProgressState state_;
  double relocations_ = 0;
  StepReport steps_;  // so far, also before the run went on
  std::int64_t steps_before_ = 0;
  double step_seconds_before_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> included_before_;  // by worker
  bool had_all_groups_ = false;
};

}  // namespace godwit
