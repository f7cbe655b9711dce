// cli/train_options.h: what `godwit train` is told, and the settings that come of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "godwit/result.h"
#include "launch/environment.h"
#include "train/settings.h"

namespace godwit {

inline constexpr const char* kRuns = "runs";  // where runs are, from the working directory

struct TrainOptions {
  std::string task;
  std::string data;
  std::int64_t nodes = 1;
  std::int64_t job_nodes = 1;   // of the job
  std::int64_t nodes_here = 1;  // of the job, on this machine, as far as is known
  std::string run;              // directory of the run; empty: a new one in `runs`
  std::string group_prefix;     // as of `godwit launch --groups`
  std::string rendezvous;       // likewise
  bool resume = false;
  bool json = false;
  bool quiet = false;
  std::string config;      // a file
  std::string run_config;  // what config.toml of the run that goes on says
  // What flags say, as name and value, in their order; --set too.
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> arguments;  // of this process, to start other nodes with
};

// Where values come from, besides the built-in ones: ./godwit.toml, the file of --config, the
// run that goes on (its config.toml), the environment (GODWIT_RANK for rank), flags; each wins over
// those before it. kInvalidArgument names what is wrong and where; so does a value that a run must
// keep and that the environment or a flag would change. A key of a file that is another task's
// setting is left alone.
Result<> apply_settings(Settings& settings, const TrainOptions& options,
                        const Environment& environment);

// For --resume: `options.run` becomes the path of the run, and what was not said is what it was
// there. kNotFound or kInvalidArgument if there is no such run or it is of another task.
Result<> find_resumed_run(TrainOptions& options);

// As a file that apply_settings() reads.
std::string settings_toml(const Settings& settings, const TrainOptions& options);

// `text` of a file, as names and values. kInvalidArgument naming `path` and the line.
Result<std::vector<std::pair<std::string, std::string>>> parse_toml(const std::string& text,
                                                                    const std::string& path);

}  // namespace godwit
