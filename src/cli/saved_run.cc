// cli/saved_run.cc: config.toml, then the checkpoint.
#include "cli/saved_run.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "report/run_dir.h"

namespace godwit {

Catalog catalog_of(const Environment& environment) {
  return {.data_dir = value_of(environment, "GODWIT_DATA").value_or("")};
}

Result<SavedRun> find_saved_run(Disk& disk, const std::string& run) {
  GODWIT_TRY_ASSIGN(const RunFiles files, open_run(disk, kRuns, run));
  const std::string config = files.path + "/config.toml";
  if (files.config.empty()) {
    return invalid_argument("there is no {}: the run ended before it began to train", config);
  }
  GODWIT_TRY_ASSIGN(const auto values, parse_toml(files.config, config));
  SavedRun saved{.path = files.path};
  for (const auto& [name, value] : values) {
    if (name == "data") saved.data = value;
    if (name != "task") continue;
    auto kind = find_task_kind(value);
    if (!kind.ok()) return std::move(kind).error().in_context(config);
    saved.kind = *kind;
  }
  if (saved.kind == nullptr) return invalid_argument("{} names no task", config);
  saved.settings = settings_of(*saved.kind);
  for (const auto& [name, value] : values) {
    if (name == "data" || name == "task") continue;
    auto set = saved.settings.set(name, value, SettingSource::kFile);
    if (!set.ok()) return std::move(set).error().in_context(config);
  }
  return saved;
}

Result<CheckpointReader> load_checkpoint(Session& session, Task& task,
                                         const std::string& directory) {
  auto loaded = session.load(directory);
  if (!loaded.ok()) {
    const auto all = list_checkpoints(directory);
    const bool are_damaged =
        loaded.error().code() == ErrorCode::kNotFound && all.ok() && !all->empty();
    if (are_damaged) {
      return corruption("{}", loaded.error().message());
    }
    return loaded;
  }
  std::map<std::string, std::string> own;
  for (const SavedFile& file : loaded->files()) {
    GODWIT_TRY_ASSIGN(own[fmt::format("{}/{}", file.node.value(), file.name)],
                      loaded->read_file(file.node, file.name));
  }
  GODWIT_TRY(task.load_own(own));
  return loaded;
}

}  // namespace godwit
