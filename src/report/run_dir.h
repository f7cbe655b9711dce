// report/run_dir.h: what a run leaves behind: runs/<time>-<task>-<data>/ with config.toml,
// metrics.jsonl, env.json, log/, ckpt/ and report.html, and runs/latest.
// A RunDir is owned by one thread; many runs may share a `runs` directory at once.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/result.h"
#include "report/metric_line.h"

namespace godwit {

// "20261116-074233-kge-wordnet". Of data that are a path its last part counts; what is not fit for
// a file name becomes '_'.
std::string run_name(const std::tm& when, std::string_view task, std::string_view data);

// Errors name the path; a full disk is kUnavailable. A file that is replaced is the old one or the
// new one, never a part of it.
class RunDir {
 public:
  // Makes a new directory below `runs` (which is made too); if the name is taken, with -2, -3...
  // behind it. Then runs/latest means it. `disk` must outlive this.
  static Result<RunDir> make(Disk& disk, const std::string& runs, const std::string& name);
  // Makes the directory `path`; if it is in `runs`, runs/latest means it. kInvalidArgument if there
  // is something of that name already.
  static Result<RunDir> make_at(Disk& disk, const std::string& path);
  // Goes on in a directory that open_run() found; its metrics are kept, runs/latest too.
  static Result<RunDir> reopen(Disk& disk, const std::string& path);

  const std::string& path() const { return path_; }
  std::string log_dir() const { return path_ + "/log"; }
  std::string checkpoint_dir() const { return path_ + "/ckpt"; }

  Result<> write_config(std::string_view toml);
  Result<> write_environment(std::string_view json);
  Result<> write_report(std::string_view html);

  // Adds lines to a file beside the others, which begins with `header`. A line that is torn stays
  // one of its own.
  Result<> append_to(const std::string& file, std::string_view header, std::string_view text);

  // Adds a line to metrics.jsonl. It is there when the process is killed, and when the power fails
  // after sync(). After a failure the next one begins a new line: what is torn is never read.
  Result<> append(const MetricLine& line);
  Result<> sync();

 private:
  RunDir(Disk& disk, std::string path, std::unique_ptr<DiskFile> metrics, bool line_torn);

  Disk* disk_;
  std::string path_;
  std::unique_ptr<DiskFile> metrics_;
  bool line_torn_;  // metrics.jsonl ends in the middle of a line
};

// What can be read back of a run.
struct RunFiles {
  std::string path;         // of the directory itself, not of a link to it
  std::string config;       // empty: none was written
  std::string environment;  // likewise
  std::vector<MetricLine> metrics;
  std::int64_t torn_lines = 0;  // of metrics.jsonl, left out: the process was killed at them
  bool has_report = false;
};

// `run` is "latest", a name in `runs`, or the path of a run. kNotFound if there is none, with what
// was looked for; kInvalidArgument if the directory is not of a run; kCorruption if metrics.jsonl
// holds lines of something else only.
Result<RunFiles> open_run(Disk& disk, const std::string& runs, const std::string& run);

}  // namespace godwit
