// cli/verbs.h: one function per verb; each adds its options and says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace godwit {

// What the command line chose; called after all of it was understood. Returns the exit code.
using Action = std::function<int(std::ostream& out, std::ostream& err)>;

// Each adds a verb to `app` and sets `action` if that verb is given.
void add_demo_verb(CLI::App& app, Action& action);
// `arguments` are all of the command line, to start other nodes with.
void add_train_verb(CLI::App& app, Action& action, const std::vector<std::string>& arguments);
void add_eval_verb(CLI::App& app, Action& action);
void add_query_verb(CLI::App& app, Action& action);
void add_export_verb(CLI::App& app, Action& action);
void add_config_verb(CLI::App& app, Action& action);
void add_bench_verb(CLI::App& app, Action& action);
void add_sim_verb(CLI::App& app, Action& action);
// A command of `sim`.
void add_sim_pace_verb(CLI::App& sim, Action& action);
void add_sched_verb(CLI::App& app, Action& action);
// The commands of `sched` about a scheduler that runs.
void add_sched_live_verbs(CLI::App& sched, Action& action);
void add_status_verb(CLI::App& app, Action& action);
void add_ckpt_verb(CLI::App& app, Action& action);
void add_doctor_verb(CLI::App& app, Action& action);
// `command` is what cut_launch_command() gave.
void add_launch_verb(CLI::App& app, Action& action, std::vector<std::string> command);

// Cuts the program to launch, with its arguments, off the end of `launch [options] [--] program...`
// and returns it: its options are not ours. Empty if there is none.
std::vector<std::string> cut_launch_command(std::vector<std::string>& arguments);

}  // namespace godwit
