// cli/launch_verb.cc: `godwit launch -n N -- CMD`: copies of a program as the nodes of one job; and
// `godwit launch --groups C ...`: as its table nodes and groups.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "launch/group_launcher.h"
#include "launch/launcher.h"

namespace godwit {
namespace {

// As given; which of two launches is meant is decided when all is read.
struct LaunchFlags {
  LaunchOptions plain;
  std::optional<std::int64_t> nodes_of_any_kind;  // -n
  std::optional<std::int64_t> nodes;              // --nodes: table nodes if there are groups
  std::optional<std::int64_t> groups;
  std::optional<std::int64_t> ranks_per_group;
  std::optional<std::int64_t> restarts;
  std::string mpi;
  std::string group_prefix;
  std::string rendezvous;
  bool leaves_out_logs = false;
};

int fail(const Error& error, std::ostream& err) {
  err << "godwit launch: " << error.message() << "\n";
  return error.code() == ErrorCode::kUnavailable ? kExitFailed : kExitUsage;
}

template <class Outcome>
int tell(const Outcome& outcome, const std::string& report, std::ostream& err) {
  if (!report.empty()) err << "godwit launch: " << report << std::flush;
  return outcome.exit_code;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

int run_plain(const LaunchFlags& flags, std::ostream& err) {
  LaunchOptions options = flags.plain;
  options.nodes = flags.nodes_of_any_kind ? *flags.nodes_of_any_kind : *flags.nodes;
  RealDisk disk;
  const auto outcome = launch(options, disk, RealTime());
  if (!outcome.ok()) return fail(outcome.error(), err);
  return tell(*outcome, describe(*outcome, options.nodes), err);
}

int run_groups(const LaunchFlags& flags, std::ostream& err) {
  GroupLaunchOptions options;
  options.shape = {.servers = flags.nodes.value_or(1),
                   .groups = *flags.groups,
                   .ranks_per_group = flags.ranks_per_group.value_or(1)};
  if (!flags.mpi.empty()) {
    const auto kind = parse_mpi_kind(flags.mpi);
    if (!kind.ok()) return fail(kind.error(), err);
    options.mpi = *kind;
  }
  if (flags.restarts) options.restarts.restarts_max = *flags.restarts;
  options.group_prefix = words_of(flags.group_prefix);
  options.rendezvous = flags.rendezvous;
  options.command = flags.plain.command;
  options.environment = flags.plain.environment;
  options.writes_logs = flags.plain.writes_logs;
  options.log_dir = flags.plain.log_dir;
  options.supervision.common = flags.plain.supervision;
  RealDisk disk;
  const auto outcome = launch_groups(options, disk, RealTime());
  if (!outcome.ok()) return fail(outcome.error(), err);
  return tell(*outcome, describe(*outcome), err);
}

// What does not go together, before anything is started; empty if all does.
std::string_view contradiction(const LaunchFlags& flags) {
  if (flags.groups && flags.nodes_of_any_kind) {
    return "-n does not go with --groups: --nodes N is the number of table nodes then";
  }
  if (!flags.groups && (flags.ranks_per_group || flags.restarts || !flags.mpi.empty() ||
                        !flags.group_prefix.empty() || !flags.rendezvous.empty())) {
    return "--ranks-per-group, --mpi, --restarts, --group-prefix and --rendezvous need --groups";
  }
  if (flags.nodes && flags.nodes_of_any_kind) return "-n and --nodes are the same: give one";
  if (!flags.groups && !flags.nodes && !flags.nodes_of_any_kind) {
    return "-n or --nodes is required, or --groups";
  }
  return "";
}

int run_launch(const LaunchFlags& flags, std::ostream& out, std::ostream& err) {
  out.flush();
  if (const auto wrong = contradiction(flags); !wrong.empty()) {
    err << "godwit launch: " << wrong << "\n";
    return kExitUsage;
  }
  return flags.groups ? run_groups(flags, err) : run_plain(flags, err);
}

bool takes_next(std::string_view option) {
  constexpr std::array<std::string_view, 9> kNames = {
      "-n",    "--nodes",    "--log-dir",      "--groups",    "--ranks-per-group",
      "--mpi", "--restarts", "--group-prefix", "--rendezvous"};
  return std::find(kNames.begin(), kNames.end(), option) != kNames.end();
}

}  // namespace

std::vector<std::string> cut_launch_command(std::vector<std::string>& arguments) {
  std::size_t at = 1;  // behind the verb
  bool is_separated = false;
  while (at < arguments.size() && !is_separated) {
    const std::string& argument = arguments[at];
    is_separated = argument == "--";
    if (!argument.starts_with('-')) break;
    at += takes_next(argument) ? 2 : 1;
  }
  at = std::min(at, arguments.size());
  const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> command(begin, arguments.end());
  arguments.resize(is_separated ? at - 1 : at);
  return command;
}

void add_launch_verb(CLI::App& app, Action& action, std::vector<std::string> command) {
  CLI::App* verb =
      app.add_subcommand("launch", "run N copies of a program as the nodes of one job");
  verb->footer(
      "After the options comes the program with its arguments:\n"
      "  godwit launch -n 4 -- ./train --fast\n"
      "With groups, each of them is an MPI job of its own beside the table nodes:\n"
      "  godwit launch --nodes 1 --groups 2 --ranks-per-group 4 -- ./train --fast\n");
  auto flags = std::make_shared<LaunchFlags>();
  flags->plain.command = std::move(command);
  verb->add_option("-n", flags->nodes_of_any_kind, "how many nodes, 1 to 4096");
  verb->add_option("--nodes", flags->nodes, "like -n; with --groups: table nodes (default 1)");
  verb->add_option("--groups", flags->groups, "how many groups of ranks");
  verb->add_option("--ranks-per-group", flags->ranks_per_group, "how many each (default 1)");
  verb->add_option("--mpi", flags->mpi,
                   "openmpi, mpich or slurm (default: slurm in an allocation, else what is there)");
  verb->add_option("--restarts", flags->restarts,
                   "how often a group that dies is started again (default 3)");
  verb->add_option("--group-prefix", flags->group_prefix,
                   "words before those that start a group, such as \"numactl -N {group}\"");
  verb->add_option("--rendezvous", flags->rendezvous,
                   "tcp:HOST:PORT, where table node 0 listens (default: found out)");
  CLI::Option* log_dir = verb->add_option("--log-dir", flags->plain.log_dir,
                                          "for node-0.log, ... (default: godwit-logs/<job>)");
  verb->add_flag("--no-logs", flags->leaves_out_logs, "write no log files")->excludes(log_dir);
  verb->add_flag("--quiet", flags->plain.supervision.is_quiet,
                 "leave the nodes' lines out; they are in the logs");
  verb->callback([flags, &action] {
    flags->plain.writes_logs = !flags->leaves_out_logs;
    flags->plain.environment = parse_environment(environ);
    action = [flags](std::ostream& out, std::ostream& err) { return run_launch(*flags, out, err); };
  });
}

}  // namespace godwit
