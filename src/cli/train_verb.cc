// cli/train_verb.cc: `godwit train TASK --data D` and `godwit config show TASK`.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <ostream>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/time_source.h"
#include "base/try.h"
#include "cli/command_line.h"
#include "cli/group_train_run.h"
#include "cli/train_help.h"
#include "cli/train_options.h"
#include "cli/train_run.h"
#include "cli/verbs.h"
#include "launch/discovery.h"
#include "launch/launcher.h"
#include "report/text_table.h"
#include "train/group_settings.h"
#include "train/step_task.h"
#include "train/tasks.h"

namespace godwit {
namespace {

constexpr int kExitBrokenPipe = 128 + SIGPIPE;  // as a shell says it

int refuse(const Error& error, std::ostream& err) {
  err << "godwit train: " << error.message() << "\n";
  return exit_code_of(error);
}

Error lacks(std::string_view what) {
  return invalid_argument("{} is required, as in: {}\nTry `godwit train --help`.", what,
                          kTrainExample);
}

Result<Settings> settings_for(const TrainOptions& options, const Environment& environment) {
  GODWIT_TRY_ASSIGN(const TaskKind* kind, find_task_kind(options.task));
  Settings settings = settings_of(*kind);
  GODWIT_TRY(apply_settings(settings, options, environment));
  return settings;
}

// What the nodes have not said themselves; the exit code.
int tell_outcome(const LaunchOutcome& outcome, std::ostream& err) {
  if (outcome.was_interrupted || !outcome.failure) return outcome.exit_code;
  const NodeFailure& failure = *outcome.failure;
  // Nobody reads what node 0 says: nobody wants to know.
  if (failure.node == 0 && failure.status.signal == SIGPIPE) return kExitBrokenPipe;
  if (failure.status.signal != 0) {
    err << fmt::format(
        "godwit train: node {} {}; the other nodes were ended. To go on from the "
        "last checkpoint: --resume\n",
        failure.node, to_string(failure.status));
  } else if (failure.status.code != kExitUsage) {
    err << fmt::format("godwit train: node {} {}; the other nodes were ended\n", failure.node,
                       to_string(failure.status));
  }
  return outcome.exit_code;
}

// Starts this program once per node; node 0's words are the job's.
int launch_nodes(const TrainOptions& options, const Settings& settings,
                 const Environment& environment, std::ostream& out, std::ostream& err) {
  std::vector<std::string> command{"/proc/self/exe"};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  RealDisk disk;
  const RealTime time;
  out << std::flush;
  // A node that is told to stop may have much to save.
  const std::int64_t servers = servers_of(settings, options.nodes);
  const SupervisorOptions supervision{.interrupt_grace = std::chrono::minutes(5),
                                      .spared_from = servers > 0 ? servers : options.nodes};
  const auto outcome = launch({.nodes = options.nodes,
                               .command = std::move(command),
                               .environment = environment,
                               .first_speaks = true,
                               .writes_logs = false,
                               .supervision = supervision},
                              disk, time);
  if (!outcome.ok()) return refuse(outcome.error(), err);
  return tell_outcome(*outcome, err);
}

// What was said of groups goes together, and with what started this process.
Result<> check_groups(const TrainOptions& options, const Settings& settings,
                      const JobPlace& place) {
  if (groups_of(settings) == 0) {
    for (const auto& [name, value] : options.set) {
      if (is_group_setting(name)) return invalid_argument("{} needs --groups", name);
    }
    if (place.role == NodeRole::kNode) return {};
    return invalid_argument("{} has no groups of ranks: mlp and linreg do", options.task);
  }
  if (place.role == NodeRole::kNode && place.nodes > 1) {
    return invalid_argument(
        "{} has started this as one of {} nodes; with --groups it starts its processes itself, or "
        "is started by `godwit launch --groups`",
        place.source, place.nodes);
  }
  Settings settled = settings;
  return settle_group_settings(settled);
}

int run_train(TrainOptions options, std::ostream& out, std::ostream& err) {
  const Environment environment = parse_environment(environ);
  if (options.task.empty()) return refuse(lacks("a task"), err);
  auto kind = find_task_kind(options.task);
  if (!kind.ok()) return refuse(kind.error(), err);
  if (options.resume) {
    if (const auto found = find_resumed_run(options); !found.ok()) {
      return refuse(found.error(), err);
    }
  }
  if (options.data.empty()) return refuse(lacks("--data"), err);
  auto settings = settings_for(options, environment);
  if (!settings.ok()) return refuse(settings.error(), err);
  if (options.nodes < 1 || options.nodes > 4096) {
    err << fmt::format("godwit train: --nodes is {}, but must be between 1 and 4096\n",
                       options.nodes);
    return kExitUsage;
  }
  const auto place = discover(environment, {}, this_process());
  if (!place.ok()) return refuse(place.error(), err);
  // A rank that is started anew finds the run that it is part of.
  const bool is_new = !options.resume && place->role != NodeRole::kRank;
  if (is_new && !options.run.empty() && RealDisk().list(options.run).ok()) {
    return refuse(invalid_argument("'{}' is there already: --resume goes on in it", options.run),
                  err);
  }
  if (const auto fits = check_groups(options, *settings, *place); !fits.ok()) {
    return refuse(fits.error(), err);
  }
  if (groups_of(*settings) > 0 && place->role == NodeRole::kNode) {
    return launch_group_training(options, *settings, environment, out, err);
  }
  if (place->role != NodeRole::kNode) {
    return run_group_training(options, **kind, std::move(*settings), *place, environment, out, err);
  }
  if (place->nodes > 1 && options.nodes > 1 && place->nodes != options.nodes) {
    return refuse(invalid_argument("--nodes is {}, but {} has started a job of {} nodes",
                                   options.nodes, place->source, place->nodes),
                  err);
  }
  if (place->nodes == 1 && options.nodes > 1) {
    return launch_nodes(options, *settings, environment, out, err);
  }
  options.job_nodes = place->nodes;
  if (place->local) options.nodes_here = place->nodes;
  return run_training(options, **kind, std::move(*settings), environment, out, err);
}

int run_config_show(const TrainOptions& options, std::ostream& out, std::ostream& err) {
  auto settings = settings_for(options, parse_environment(environ));
  if (!settings.ok()) return refuse(settings.error(), err);
  TextTable table({"setting", "value", "from", "meaning"}, TextTable::Align::kLeft);
  for (const Setting& setting : settings->all()) {
    table.add({setting.name, setting.value, std::string(origin_of(setting)), meaning_of(setting)});
  }
  out << table.to_string();
  return kExitOk;
}

void add_settings_options(CLI::App& verb, const std::shared_ptr<TrainOptions>& options) {
  verb.add_option("--config", options->config, "a file of settings (TOML)");
  verb.add_option_function<std::vector<std::string>>(
      "--set",
      [options](const std::vector<std::string>& assignments) {
        for (const std::string& text : assignments) {
          const auto equals = text.find('=');
          const std::string name = text.substr(0, equals);
          options->set.emplace_back(name,
                                    equals == std::string::npos ? "" : text.substr(equals + 1));
        }
      },
      "name=value; `godwit config show TASK` lists them");
  for (const char* name : {"workers", "epochs", "consistency", "placement", "seed"}) {
    verb.add_option_function<std::string>(
        std::string("--") + name,
        [options, name](const std::string& value) { options->set.emplace_back(name, value); },
        std::string("short for --set ") + name + "=...");
  }
  for (const char* name : {"pace", "late"}) {
    verb.add_option_function<std::string>(
        std::string("--") + name,
        [options, name](const std::string& value) { options->set.emplace_back(name, value); },
        std::string("short for --set ") + name + "=...; of mlp and linreg");
  }
  for (const char* name : {"groups", "ranks-per-group", "mode"}) {
    std::string setting = name;
    std::replace(setting.begin(), setting.end(), '-', '_');
    verb.add_option_function<std::string>(
        std::string("--") + name,
        [options, setting](const std::string& value) { options->set.emplace_back(setting, value); },
        "short for --set " + setting + "=...; of mlp and linreg");
  }
  verb.add_option_function<std::string>(
      "--compute-slack",
      [options](const std::string& value) { options->set.emplace_back("compute_slack", value); },
      "short for --set compute_slack=...; of mlp and linreg");
  verb.add_option_function<std::vector<std::string>>(
      "--inject",
      [options](const std::vector<std::string>& delays) {
        std::string all;
        for (const std::string& delay : delays) all += (all.empty() ? "" : "; ") + delay;
        options->set.emplace_back("inject", all);
      },
      "delays for experiments, such as \"worker 3: compute x10\"; of mlp and linreg");
  verb.add_option_function<std::string>(
      "--save-every",
      [options](const std::string& value) { options->set.emplace_back("save_every", value); },
      "seconds between checkpoints");
}

}  // namespace

void add_train_verb(CLI::App& app, Action& action, const std::vector<std::string>& arguments) {
  CLI::App* verb = app.add_subcommand("train", "train a model on a data set");
  verb->footer(task_list() + "\n" + data_list());
  auto options = std::make_shared<TrainOptions>();
  options->arguments = arguments;
  verb->add_option("task", options->task, "what to train")->type_name("REQUIRED");
  verb->add_option("--data", options->data, "a file, a directory, or a name, unless --resume")
      ->type_name("TEXT REQUIRED");
  verb->add_option("--nodes", options->nodes,
                   "processes on this machine; with --groups: table nodes")
      ->capture_default_str();
  verb->add_option("--run", options->run, "directory of the run (default: a new one in runs/)");
  verb->add_option("--group-prefix", options->group_prefix,
                   "words before those that start a group, such as \"numactl -N {group}\"");
  verb->add_option("--rendezvous", options->rendezvous,
                   "of groups: tcp:HOST:PORT, where table node 0 listens");
  verb->add_flag("--resume", options->resume, "go on from the last checkpoint of --run, or latest");
  verb->add_flag("--json", options->json, "one object a line");
  verb->add_flag("--quiet", options->quiet, "say nothing but errors");
  add_settings_options(*verb, options);
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_train(*options, out, err);
    };
  });
}

void add_config_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("config", "settings and where they come from");
  verb->require_subcommand(1);
  CLI::App* show = verb->add_subcommand("show", "all settings of a task, with their sources");
  show->footer(task_list());
  auto options = std::make_shared<TrainOptions>();
  show->add_option("task", options->task, "of which task")->required();
  add_settings_options(*show, options);
  show->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_config_show(*options, out, err);
    };
  });
}

}  // namespace godwit
