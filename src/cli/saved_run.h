// cli/saved_run.h: from the directory of a run back to its settings, its task and its rows.
#pragma once

#include <memory>
#include <string>

#include "base/disk.h"
#include "cli/train_options.h"
#include "data/catalog.h"
#include "godwit/result.h"
#include "godwit/session.h"
#include "launch/environment.h"
#include "train/settings.h"
#include "train/task.h"
#include "train/tasks.h"

namespace godwit {

// What the environment says about where data are.
Catalog catalog_of(const Environment& environment);

// What a run was made with: its config.toml, and nothing else.
struct SavedRun {
  std::string path;
  const TaskKind* kind = nullptr;
  std::string data;  // as --data named it
  Settings settings;
};

// `run` is "latest", a name in `runs`, or a path. kNotFound if there is none; kInvalidArgument if
// its config.toml is missing or cannot be understood.
Result<SavedRun> find_saved_run(Disk& disk, const std::string& run);

// Rows from the newest checkpoint in `directory` that can be used, and what nodes have kept beside
// them. As Session::load(): all nodes call it. REQUIRES: the task is open. kNotFound if there is no
// checkpoint, kCorruption if there are but none can be used.
Result<CheckpointReader> load_checkpoint(Session& session, Task& task,
                                         const std::string& directory);

}  // namespace godwit
