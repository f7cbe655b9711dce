// launch/launcher.cc: checks, then processes, then the supervisor.
#include "launch/launcher.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/try.h"
#include "launch/file_limit.h"
#include "launch/job_dir.h"
#include "launch/mpi_launcher.h"
#include "launch/rank_claims.h"
#include "launch/warden.h"

namespace godwit {
namespace {

Result<> check_options(const LaunchOptions& options) {
  if (options.nodes < 1 || options.nodes > kNodesMax) {
    return invalid_argument("the number of nodes is {}, not 1 to {}", options.nodes, kNodesMax);
  }
  if (options.command.empty()) return invalid_argument("no command given");
  return {};
}

Environment job_environment(const LaunchOptions& options, const std::string& job,
                            const std::string& dir) {
  Environment environment = options.environment;
  forget_place(environment);
  environment["GODWIT_NODES"] = std::to_string(options.nodes);
  environment["GODWIT_JOB"] = job;
  environment["GODWIT_RENDEZVOUS"] = "unix:" + dir + "/rendezvous";
  environment["GODWIT_TOKEN"] = random_hex(16);
  return environment;
}

struct Log {
  std::unique_ptr<DiskFile> file;
  std::string path;
};

Result<std::vector<Log>> open_logs(const LaunchOptions& options, const std::string& job,
                                   Disk& disk) {
  std::vector<Log> logs(static_cast<std::size_t>(options.nodes));
  if (!options.writes_logs) return logs;
  const std::string dir = options.log_dir.empty() ? "godwit-logs/" + job : options.log_dir;
  GODWIT_TRY(disk.make_dirs(dir));
  for (std::size_t node = 0; node < logs.size(); ++node) {
    logs[node].path = fmt::format("{}/node-{}.log", dir, node);
    GODWIT_TRY_ASSIGN(logs[node].file, disk.open_write(logs[node].path));
  }
  return logs;
}

// On failure those already started are ended.
Result<std::vector<std::unique_ptr<SupervisedNode>>> start_nodes(const LaunchOptions& options,
                                                                 const std::string& path,
                                                                 Environment environment,
                                                                 std::vector<Log> logs,
                                                                 Warden& warden) {
  std::vector<std::unique_ptr<SupervisedNode>> nodes;
  for (std::int64_t node = 0; node < options.nodes; ++node) {
    environment["GODWIT_NODE"] = std::to_string(node);
    const bool is_heard = options.first_speaks && node == 0;
    auto child = ChildProcess::spawn(path, options.command, environment,
                                     is_heard ? ChildOutput::kInherited : ChildOutput::kPipes);
    if (!child.ok()) {
      for (const auto& started : nodes) warden.forget(started->process.pid());
      return std::move(child).error().in_context(fmt::format("starting node {}", node));
    }
    warden.watch(child->pid());
    nodes.push_back(std::make_unique<SupervisedNode>(node, std::move(*child)));
    nodes.back()->speaker.log = std::move(logs[static_cast<std::size_t>(node)].file);
    nodes.back()->speaker.log_path = std::move(logs[static_cast<std::size_t>(node)].path);
  }
  return nodes;
}

}  // namespace

Result<LaunchOutcome> launch(const LaunchOptions& options, Disk& disk, const TimeSource& time) {
  GODWIT_TRY(check_options(options));
  GODWIT_TRY_ASSIGN(const std::string path, find_command(options.command[0], options.environment));
  SignalIntake signals;  // from here on an interrupt waits for the supervisor
  FileLimit files;
  GODWIT_TRY(files.raise_for(options.nodes));
  GODWIT_TRY_ASSIGN(
      const JobDir dir,
      JobDir::make(temporary_dir(value_of(options.environment, "TMPDIR").value_or(""))));
  const std::string job = random_hex(8);
  GODWIT_TRY_ASSIGN(auto logs, open_logs(options, job, disk));

  GODWIT_TRY_ASSIGN(Warden warden, Warden::start({.dirs = {dir.path()}}));
  GODWIT_TRY_ASSIGN(auto nodes,
                    start_nodes(options, path, job_environment(options, job, dir.path()),
                                std::move(logs), warden));
  std::vector<pid_t> groups;
  for (const auto& node : nodes) groups.push_back(node->process.pid());
  Supervisor supervisor(std::move(nodes), options.supervision, time, signals);
  LaunchOutcome outcome = supervisor.run();
  for (const pid_t group : groups) warden.forget(group);
  return outcome;
}

}  // namespace godwit
