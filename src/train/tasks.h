// train/tasks.h: the tasks there are, by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/catalog.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

struct TaskKind {
  std::string name;       // "mf"
  std::string summary;    // one line, for help
  std::string rate_unit;  // "ratings/s"
  void (*add_settings)(Settings&);
  // Reads the data, replaces "auto" in the settings by what the data suggest, and makes the task.
  Result<std::unique_ptr<Task>> (*make)(Settings&, const Catalog&, const DataSource&);
};

const std::vector<TaskKind>& task_kinds();

// kInvalidArgument naming the nearest.
Result<const TaskKind*> find_task_kind(std::string_view name);

// All settings of a task with their built-in values: those that all have and its own.
Settings settings_of(const TaskKind& kind);

}  // namespace godwit
