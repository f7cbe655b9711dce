// cli/train_options.cc: settings from files, the environment and flags.
#include "cli/train_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "base/disk.h"
#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "report/run_dir.h"
#include "train/tasks.h"

namespace godwit {
namespace {

constexpr const char* kUserFile = "godwit.toml";

// Variables of this name mean something else.
bool is_taken(std::string_view variable) {
  return variable == "GODWIT_DATA" || variable == "GODWIT_NODES" || variable == "GODWIT_NODE";
}

std::string variable_of(const std::string& setting) {
  std::string name = "GODWIT_";
  for (const char letter : setting) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

// As a basic string of TOML.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    if (static_cast<unsigned char>(letter) < ' ') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(letter));
    } else {
      out += letter;
    }
  }
  return out + '"';
}

// Not every spelling that we read is one of TOML: ".5" and "007" are none.
std::string toml_value(const Setting& setting) {
  if (setting.kind == Setting::Kind::kFlag) return setting.value;
  if (setting.kind != Setting::Kind::kText) {
    if (const auto count = parse_number<std::int64_t>(setting.value)) {
      return fmt::format("{}", *count);
    }
    if (const auto number = parse_number<double>(setting.value)) return fmt::format("{}", *number);
  }
  return in_quotes(setting.value);
}

std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  if (const auto count = node.value_exact<std::int64_t>()) return fmt::format("{}", *count);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  return "";
}

// Null if there is none.
const Setting* find(const Settings& settings, const std::string& name) {
  const auto found = std::find_if(settings.all().begin(), settings.all().end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == settings.all().end() ? nullptr : &*found;
}

bool is_of_another_task(const std::string& name) {
  const auto& kinds = task_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const TaskKind& kind) {
    const Settings settings = settings_of(kind);
    return find(settings, name) != nullptr;
  });
}

// What may be another in a run that goes on; all else would make it another model, or have it
// judged by what it has learned from. Workers that pace, servers and inject name may not be there.
bool may_change(const std::string& name) {
  constexpr std::array kNames{"workers",     "epochs",        "judge_every", "judge_test",
                              "patience",    "max_minutes",   "save_every",  "keep",
                              "consistency", "placement",     "codec",       "pace",
                              "late",        "compute_slack", "servers",     "inject"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.starts_with("learning_rate");
}

// As numbers, if they are: 0.50 is 0.5.
bool is_same(const std::string& a, const std::string& b) {
  const auto x = parse_number<double>(a);
  const auto y = parse_number<double>(b);
  return x && y ? *x == *y : a == b;
}

Result<> apply_run(Settings& settings, const TrainOptions& options) {
  const std::string path = options.run + "/config.toml";
  GODWIT_TRY_ASSIGN(const auto values, parse_toml(options.run_config, path));
  for (const auto& [name, value] : values) {
    // How many fit this machine is not the run's matter.
    if (name == "task" || name == "data" || name == "workers") continue;
    if (auto set = settings.set(name, value, SettingSource::kRun); !set.ok()) {
      return std::move(set).error().in_context(path);
    }
  }
  return {};
}

Result<> check_kept(const Settings& settings, const TrainOptions& options) {
  GODWIT_TRY_ASSIGN(const auto values, parse_toml(options.run_config, options.run));
  for (const auto& [name, value] : values) {
    if (name == "task" || name == "data" || may_change(name)) continue;
    const std::string& now = find(settings, name)->value;
    if (is_same(now, value)) continue;
    return invalid_argument("{} is {}, but was {} when '{}' began: leave it, or train anew", name,
                            now, value, options.run);
  }
  return {};
}

Result<> apply_file(Settings& settings, const std::string& path, SettingSource source) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(const auto bytes, disk.read(path));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  GODWIT_TRY_ASSIGN(const auto values, parse_toml(text, path));
  for (const auto& [name, value] : values) {
    if (name == "task" || name == "data") continue;  // of a run's own config.toml
    if (find(settings, name) == nullptr && is_of_another_task(name)) continue;
    auto set = settings.set(name, value, source);
    if (!set.ok()) return std::move(set).error().in_context(path);
  }
  return {};
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> parse_toml(const std::string& text,
                                                                    const std::string& path) {
  std::vector<std::pair<std::string, std::string>> values;
  try {
    for (const auto& [key, node] : toml::parse(text)) {
      const std::string name(key.str());
      if (node.is_table() || node.is_array()) {
        return invalid_argument("{}:{}: '{}' is no single value", path, node.source().begin.line,
                                name);
      }
      values.emplace_back(name, text_of(node));
    }
  } catch (const toml::parse_error& error) {
    return invalid_argument("{}:{}: {}", path, error.source().begin.line, error.description());
  }
  return values;
}

Result<> apply_settings(Settings& settings, const TrainOptions& options,
                        const Environment& environment) {
  RealDisk disk;
  if (disk.size(kUserFile).ok()) {
    GODWIT_TRY(apply_file(settings, kUserFile, SettingSource::kUserFile));
  }
  if (!options.config.empty()) {
    GODWIT_TRY(apply_file(settings, options.config, SettingSource::kFile));
  }
  GODWIT_TRY(apply_run(settings, options));
  std::vector<std::string> names;
  for (const Setting& setting : settings.all()) names.push_back(setting.name);
  for (const std::string& name : names) {
    const std::string variable = variable_of(name);
    const auto value = is_taken(variable) ? std::nullopt : value_of(environment, variable);
    if (!value) continue;
    auto set = settings.set(name, *value, SettingSource::kEnvironment);
    if (!set.ok()) return std::move(set).error().in_context(variable);
  }
  for (const auto& [name, value] : options.set) {
    GODWIT_TRY(settings.set(name, value, SettingSource::kFlag));
  }
  return check_kept(settings, options);
}

Result<> find_resumed_run(TrainOptions& options) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(RunFiles files,
                    open_run(disk, kRuns, options.run.empty() ? "latest" : options.run));
  options.run = std::move(files.path);
  options.run_config = std::move(files.config);
  GODWIT_TRY_ASSIGN(const auto values, parse_toml(options.run_config, options.run));
  for (const auto& [name, value] : values) {
    if (name == "data" && options.data.empty()) options.data = value;
    if (name == "task" && options.task != value) {
      return invalid_argument("'{}' is a run of {}, not of {}", options.run, value, options.task);
    }
  }
  return {};
}

std::string settings_toml(const Settings& settings, const TrainOptions& options) {
  std::string text = fmt::format(
      "# All settings of this run: `godwit train {} --config FILE`.\ntask = {}\ndata = {}\n",
      options.task, in_quotes(options.task), in_quotes(options.data));
  for (const Setting& setting : settings.all()) {
    text += fmt::format("{} = {}  # {}; {}\n", setting.name, toml_value(setting),
                        origin_of(setting), meaning_of(setting));
  }
  return text;
}

}  // namespace godwit
