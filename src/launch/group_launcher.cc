// launch/group_launcher.cc: checks, then table nodes, then the supervisor, which starts the groups.
#include "launch/group_launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "launch/discovery.h"
#include "launch/file_limit.h"
#include "launch/job_dir.h"
#include "launch/rank_claims.h"
#include "launch/warden.h"

namespace godwit {
namespace {

// How long srun's processes may take to end ranks on other hosts.
constexpr Duration kSlurmPatience = std::chrono::seconds(5);
// The rendezvous port of a job over several hosts: below the usual ephemeral ports.
constexpr std::uint64_t kPortFirst = 20000;
constexpr std::uint64_t kPortCount = 10000;
constexpr const char* kMemoryDir = "/dev/shm";

// All that the lives of groups are started with.
struct JobStart {
  const GroupLaunchOptions& options;
  std::string path;  // of the command
  MpiLauncher launcher;
  std::string job;
  std::string dir;
  std::string memory_dir;  // empty: none
  Environment environment;
};

Result<> check_options(const GroupLaunchOptions& options) {
  if (options.shape.servers < 1 || options.shape.groups < 1 || options.shape.ranks_per_group < 1) {
    return invalid_argument(
        "{} table nodes and {} groups of {} ranks: a job with groups has at least one of each "
        "(--nodes, --groups, --ranks-per-group)",
        options.shape.servers, options.shape.groups, options.shape.ranks_per_group);
  }
  // Each before their product, which could overflow.
  const bool is_small = options.shape.servers <= kNodesMax && options.shape.groups <= kNodesMax &&
                        options.shape.ranks_per_group <= kNodesMax;
  if (!is_small || options.shape.nodes() > kNodesMax) {
    return invalid_argument("{} table nodes and {} groups of {} ranks are more than {} nodes",
                            options.shape.servers, options.shape.groups,
                            options.shape.ranks_per_group, kNodesMax);
  }
  if (options.restarts.restarts_max < 0) {
    return invalid_argument("--restarts is {}, not 0 or more", options.restarts.restarts_max);
  }
  if (options.command.empty()) return invalid_argument("no command given");
  return {};
}

// Steps that ask for more than there is would wait for ever.
Result<> check_allocation(const GroupLaunchOptions& options, const MpiLauncher& launcher) {
  if (launcher.kind != MpiKind::kSlurm) return {};
  GODWIT_TRY_ASSIGN(const auto tasks, number_of(options.environment, "SLURM_NTASKS"));
  const std::int64_t ranks = options.shape.groups * options.shape.ranks_per_group;
  if (!tasks || *tasks >= ranks) return {};
  return invalid_argument(
      "{} groups of {} ranks are {} tasks, but the Slurm allocation has {}: salloc -n {}",
      options.shape.groups, options.shape.ranks_per_group, ranks, *tasks, ranks);
}

struct Log {
  std::unique_ptr<DiskFile> file;
  std::string path;
};

Result<Log> open_log(const GroupLaunchOptions& options, const std::string& job, Disk& disk,
                     const std::string& name) {
  Log log;
  if (!options.writes_logs) return log;
  const std::string dir = options.log_dir.empty() ? "godwit-logs/" + job : options.log_dir;
  GODWIT_TRY(disk.make_dirs(dir));
  log.path = dir + "/" + name;
  GODWIT_TRY_ASSIGN(log.file, disk.open_write(log.path));
  return log;
}

// On failure those already started are ended.
Result<std::vector<std::unique_ptr<SupervisedNode>>> start_servers(const JobStart& job, Disk& disk,
                                                                   Warden& warden,
                                                                   Orphans& orphans) {
  std::vector<std::unique_ptr<SupervisedNode>> servers;
  const auto start = [&](std::int64_t node) -> Result<> {
    GODWIT_TRY_ASSIGN(Log log,
                      open_log(job.options, job.job, disk, fmt::format("node-{}.log", node)));
    const auto environment = server_environment(job.environment, node);
    const bool is_heard = job.options.first_speaks && node == 0;
    auto child = ChildProcess::spawn(job.path, job.options.command, environment,
                                     is_heard ? ChildOutput::kInherited : ChildOutput::kPipes);
    if (!child.ok()) {
      return std::move(child).error().in_context(fmt::format("starting table node {}", node));
    }
    warden.watch(child->pid());
    orphans.know(child->pid());
    servers.push_back(std::make_unique<SupervisedNode>(node, std::move(*child)));
    servers.back()->speaker.log = std::move(log.file);
    servers.back()->speaker.log_path = std::move(log.path);
    return {};
  };
  for (std::int64_t node = 0; node < job.options.shape.servers; ++node) {
    auto started = start(node);
    if (started.ok()) continue;
    for (const auto& server : servers) warden.forget(server->process.pid());
    return std::move(started).error();
  }
  return servers;
}

std::vector<std::string> prefix_for(const std::vector<std::string>& prefix, std::int64_t group) {
  constexpr std::string_view kPlace = "{group}";
  std::vector<std::string> words = prefix;
  for (std::string& word : words) {
    for (std::size_t at = word.find(kPlace); at != std::string::npos; at = word.find(kPlace, at)) {
      word.replace(at, kPlace.size(), std::to_string(group));
    }
  }
  return words;
}

Result<ChildProcess> start_group(const JobStart& job, std::int64_t group, std::int64_t life) {
  const GroupLaunchOptions& options = job.options;
  const std::string name = fmt::format("/g{}.{}", group, life);
  const GroupStart start{
      .group = group,
      .ranks = options.shape.ranks_per_group,
      .is_root = geteuid() == 0,
      .is_crowded =
          options.shape.nodes() > static_cast<std::int64_t>(std::thread::hardware_concurrency()),
      .dir = job.dir + name,
      .memory_dir = job.memory_dir.empty() ? "" : job.memory_dir + name};
  std::error_code error;
  std::filesystem::create_directory(start.dir, error);
  if (error) return unavailable("cannot make {}: {}", start.dir, error.message());
  if (!start.memory_dir.empty()) std::filesystem::create_directory(start.memory_dir, error);
  auto words = group_command(job.launcher, start, options.command, job.environment);
  const auto environment = launcher_environment(
      job.launcher, start, rank_environment(options.shape, job.environment, group, life));
  std::string program = job.launcher.kind == MpiKind::kPlain ? job.path : job.launcher.path;
  if (!options.group_prefix.empty()) {
    words[0] = program;
    std::vector<std::string> prefix = prefix_for(options.group_prefix, group);
    GODWIT_TRY_ASSIGN(program, find_command(prefix[0], options.environment));
    words.insert(words.begin(), prefix.begin(), prefix.end());
  }
  return ChildProcess::spawn(program, words, environment, ChildOutput::kPipes,
                             ChildLeads::kSession);
}

Result<std::vector<GroupToSupervise>> set_up_groups(const JobStart& job, Disk& disk, Warden& warden,
                                                    Orphans& orphans) {
  std::vector<GroupToSupervise> groups;
  const bool is_slurm = job.launcher.kind == MpiKind::kSlurm;
  for (std::int64_t group = 0; group < job.options.shape.groups; ++group) {
    GODWIT_TRY_ASSIGN(Log log,
                      open_log(job.options, job.job, disk, fmt::format("group-{}.log", group)));
    GroupToSupervise to_supervise;
    to_supervise.log = std::move(log.file);
    to_supervise.log_path = std::move(log.path);
    to_supervise.setup = {.group = group,
                          .job = job.job,
                          .kind = job.launcher.kind,
                          .restarts = job.options.restarts,
                          .start = [&job, &warden, &orphans, group,
                                    is_slurm](std::int64_t life) -> Result<ChildProcess> {
                            GODWIT_TRY_ASSIGN(ChildProcess process, start_group(job, group, life));
                            // Not of srun: see GroupSetup::patience.
                            if (!is_slurm) warden.watch(process.pid());
                            orphans.know(process.pid());
                            return process;
                          },
                          .ended = [&warden](pid_t first) { warden.forget(first); },
                          .patience = is_slurm ? kSlurmPatience : Duration{}};
    groups.push_back(std::move(to_supervise));
  }
  return groups;
}

}  // namespace

std::string meeting_point(MpiKind kind, const Environment& environment, const std::string& host,
                          const std::string& dir, std::uint64_t random) {
  const std::string short_host = host.substr(0, host.find('.'));
  const bool is_here = kind != MpiKind::kSlurm ||
                       value_of(environment, "SLURM_JOB_NODELIST").value_or("") == short_host;
  if (is_here) return "unix:" + dir + "/rendezvous";
  return fmt::format("tcp:{}:{}", host, kPortFirst + random % kPortCount);
}

Result<GroupLaunchOutcome> launch_groups(const GroupLaunchOptions& options, Disk& disk,
                                         const TimeSource& time) {
  GODWIT_TRY(check_options(options));
  JobStart job{.options = options};
  GODWIT_TRY_ASSIGN(job.path, find_command(options.command[0], options.environment));
  GODWIT_TRY_ASSIGN(job.launcher, find_mpi_launcher(options.mpi, options.shape.ranks_per_group,
                                                    options.environment));
  GODWIT_TRY(check_allocation(options, job.launcher));
  if (!options.group_prefix.empty()) {
    GODWIT_TRY(find_command(options.group_prefix[0], options.environment));
  }
  SignalIntake signals;  // from here on an interrupt waits for the supervisor
  FileLimit files;
  GODWIT_TRY(files.raise_for(options.shape.servers + options.shape.groups));
  GODWIT_TRY_ASSIGN(
      const JobDir dir,
      JobDir::make(temporary_dir(value_of(options.environment, "TMPDIR").value_or(""))));
  job.dir = dir.path();
  std::optional<JobDir> memory_dir;
  if (job.launcher.kind == MpiKind::kOpenMpi) {
    auto made = JobDir::make(kMemoryDir);  // where there is none, Open MPI knows another place
    if (made.ok()) memory_dir.emplace(std::move(*made));
  }
  job.memory_dir = memory_dir ? memory_dir->path() : "";
  job.job = random_hex(8);
  std::string rendezvous =
      meeting_point(job.launcher.kind, options.environment, this_process().host, job.dir,
                    std::hash<std::string>{}(job.job));
  if (!options.rendezvous.empty()) {
    GODWIT_TRY_ASSIGN(rendezvous, parse_rendezvous(options.rendezvous));
  }
  job.environment =
      job_environment(options.shape, options.environment, job.job, rendezvous, random_hex(16));

  WardenOrders orders{.dirs = {job.dir}, .job = job.job};
  if (memory_dir) orders.dirs.push_back(job.memory_dir);
  if (job.launcher.kind == MpiKind::kSlurm) orders.patience = kSlurmPatience;
  GODWIT_TRY_ASSIGN(Warden warden, Warden::start(orders));
  Orphans orphans;  // behind the warden, which is none
  GODWIT_TRY_ASSIGN(auto groups, set_up_groups(job, disk, warden, orphans));
  GODWIT_TRY_ASSIGN(auto servers, start_servers(job, disk, warden, orphans));
  std::vector<pid_t> server_pids;
  for (const auto& server : servers) server_pids.push_back(server->process.pid());
  GroupSupervisor supervisor(job.job, std::move(servers), std::move(groups), options.supervision,
                             time, signals, orphans);
  GroupLaunchOutcome outcome = supervisor.run();
  for (const pid_t pid : server_pids) warden.forget(pid);
  return outcome;
}

}  // namespace godwit
