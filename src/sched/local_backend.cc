// sched/local_backend.cc: runners of this host.
#include "sched/local_backend.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "launch/job_dir.h"
#include "launch/job_processes.h"
#include "launch/rank_claims.h"

namespace godwit {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

LocalBackend::LocalBackend(const Cluster& cluster, Options options, Disk& disk,
                           const TimeSource& time)
    : cluster_(cluster), options_(std::move(options)), disk_(disk), time_(time) {}

// Runners that have ended would stay as zombies of this process.
void LocalBackend::reap_ended() {
  std::erase_if(runners_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

LifeSpec local_spec(const LifeOrder& order, const Cluster& cluster, const std::string& token) {
  LifeSpec spec{.job = order.life.name, .cwd = order.cwd, .new_run = order.new_run};
  int node = 0;
  for (const MachineNodes& share : order.layout.machines) {
    for (int i = 0; i < share.nodes; ++i) {
      LifeProcess process{.command = order.command};
      process.environment["GODWIT_MACHINE"] = cluster.machines[share.machine].name;
      process.environment["GODWIT_JOB"] = order.life.name;
      if (order.layout.nodes > 1) {
        process.environment["GODWIT_NODE"] = std::to_string(node);
        process.environment["GODWIT_NODES"] = std::to_string(order.layout.nodes);
        process.environment["GODWIT_TOKEN"] = token;
      }
      spec.processes.push_back(std::move(process));
      ++node;
    }
  }
  return spec;
}

Result<pid_t> spawn_runner(const std::string& program, const LifeDir& dir,
                           const Environment& environment) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  const std::string out = dir.file("out");
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const std::vector<std::string> arguments{program, "sched", "run-job", dir.path()};
  const auto entries = environment_entries(environment);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &files, &how, pointers_to(arguments).data(),
                                pointers_to(entries).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  if (error != 0) return unavailable("cannot start {}: {}", program, std::strerror(error));
  return pid;
}

Result<> LocalBackend::start(const LifeOrder& order) {
  LifeDir dir(disk_, order.life.dir);
  GODWIT_TRY(dir.write_spec(local_spec(order, cluster_, random_hex(16))));
  GODWIT_TRY_ASSIGN(const auto claim, dir.read_claim());
  if (claim) return {};
  Environment environment = options_.environment;
  for (const std::string_view name : foreign_rank_variables()) {
    if (const auto found = environment.find(name); found != environment.end()) {
      environment.erase(found);
    }
  }
  GODWIT_TRY_ASSIGN(const pid_t pid, spawn_runner(options_.program, dir, environment));
  runners_.push_back(pid);
  return {};
}

Result<> ask_life(Disk& disk, const LifeId& life, const char* what) {
  LifeDir dir(disk, life.dir);
  GODWIT_TRY(disk.make_dirs(life.dir));
  GODWIT_TRY(dir.ask(what));
  GODWIT_TRY_ASSIGN(const auto claim, dir.read_claim());
  if (claim) return {};
  GODWIT_TRY_ASSIGN(const bool is_void, dir.claim({}));
  if (!is_void) return {};
  return dir.write_exit({kJobInterrupted, "it was stopped before it began"});
}

Result<> LocalBackend::stop(const LifeId& life) {
  return ask_life(disk_, life, "stop");
}

Result<> LocalBackend::kill(const LifeId& life, bool hard) {
  GODWIT_TRY(ask_life(disk_, life, "kill"));
  if (!hard) return {};
  GODWIT_TRY_ASSIGN(const auto claim, LifeDir(disk_, life.dir).read_claim());
  if (claim && is_alive(*claim)) ::kill(static_cast<pid_t>(claim->pid), SIGKILL);
  kill_processes({.job = life.name}, Duration{}, time_);
  return {};
}

Result<Sighting> sighting_by_dir(Disk& disk, const LifeId& life) {
  const LifeDir dir(disk, life.dir);
  GODWIT_TRY_ASSIGN(const auto exit, dir.read_exit());
  if (exit) {
    return Sighting{.kind = Sighting::Kind::kEnded, .exit_code = exit->code, .text = exit->text};
  }
  GODWIT_TRY_ASSIGN(const auto claim, dir.read_claim());
  if (!claim) return Sighting{};
  // Who wrote that it never begins may have died before it wrote the end.
  if (claim->is_void()) {
    return Sighting{.kind = Sighting::Kind::kEnded,
                    .exit_code = kJobInterrupted,
                    .text = "it was stopped before it began"};
  }
  return Sighting{.kind = Sighting::Kind::kQueued};
}

Result<Sighting> LocalBackend::look_at(const LifeId& life) {
  GODWIT_TRY_ASSIGN(Sighting seen, sighting_by_dir(disk_, life));
  if (seen.kind != Sighting::Kind::kQueued) return seen;
  GODWIT_TRY_ASSIGN(const auto claim, LifeDir(disk_, life.dir).read_claim());
  if (claim && is_alive(*claim)) return Sighting{.kind = Sighting::Kind::kRunning};
  // It may have ended well between the two looks.
  GODWIT_TRY_ASSIGN(seen, sighting_by_dir(disk_, life));
  if (seen.kind == Sighting::Kind::kEnded) return seen;
  // The runner was killed; its warden kills the rest, and we make sure.
  kill_processes({.job = life.name}, Duration{}, time_);
  return Sighting{.kind = Sighting::Kind::kLost, .text = "its runner was killed"};
}

Result<std::vector<Sighting>> LocalBackend::look(const std::vector<LifeId>& lives) {
  reap_ended();
  std::vector<Sighting> seen;
  for (const LifeId& life : lives) {
    GODWIT_TRY_ASSIGN(Sighting one, look_at(life));
    seen.push_back(std::move(one));
  }
  return seen;
}

Result<std::vector<char>> LocalBackend::machines_up() {
  return std::vector<char>(cluster_.machine_count(), 1);
}

Result<> LocalBackend::check(const Job& /*job*/) const {
  return {};
}

}  // namespace godwit
