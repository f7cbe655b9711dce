// cli/launch_verb.cc: `godwit launch -n N -- CMD`: copies of a program as the nodes of one job.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "launch/launcher.h"

namespace godwit {
namespace {

int run_launch(const LaunchOptions& options, std::ostream& out, std::ostream& err) {
  out.flush();
  RealDisk disk;
  const auto outcome = launch(options, disk, RealTime());
  if (!outcome.ok()) {
    err << "godwit launch: " << outcome.error().message() << "\n";
    return outcome.error().code() == ErrorCode::kUnavailable ? kExitFailed : kExitUsage;
  }
  const std::string report = describe(*outcome, options.nodes);
  if (!report.empty()) err << "godwit launch: " << report << std::flush;
  return outcome->exit_code;
}

}  // namespace

std::vector<std::string> cut_launch_command(std::vector<std::string>& arguments) {
  std::size_t at = 1;  // behind the verb
  bool is_separated = false;
  while (at < arguments.size() && !is_separated) {
    const std::string& argument = arguments[at];
    is_separated = argument == "--";
    if (!argument.starts_with('-')) break;
    const bool takes_next = argument == "-n" || argument == "--nodes" || argument == "--log-dir";
    at += takes_next ? 2 : 1;
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
      "  godwit launch -n 4 -- ./train --fast\n");
  auto options = std::make_shared<LaunchOptions>();
  auto leaves_out_logs = std::make_shared<bool>(false);
  options->command = std::move(command);
  verb->add_option("-n,--nodes", options->nodes, "how many, 1 to 4096")->required();
  CLI::Option* log_dir = verb->add_option("--log-dir", options->log_dir,
                                          "for node-0.log, ... (default: godwit-logs/<job>)");
  verb->add_flag("--no-logs", *leaves_out_logs, "write no log files")->excludes(log_dir);
  verb->add_flag("--quiet", options->supervision.is_quiet,
                 "leave the nodes' lines out; they are in the logs");
  verb->callback([options, leaves_out_logs, &action] {
    options->writes_logs = !*leaves_out_logs;
    options->environment = parse_environment(environ);
    action = [options](std::ostream& out, std::ostream& err) {
      return run_launch(*options, out, err);
    };
  });
}

}  // namespace godwit
