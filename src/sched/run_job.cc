// sched/run_job.cc: claim, start, watch, write down.
#include "sched/run_job.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"
#include "launch/child_process.h"
#include "launch/file_limit.h"
#include "launch/job_dir.h"
#include "launch/signal_intake.h"
#include "launch/supervisor.h"
#include "launch/warden.h"
#include "sched/life_dir.h"

namespace godwit {
namespace {

constexpr int kExitUsageOfLife = 2;
constexpr int kLookEveryMs = 100;  // a directory on another host tells nothing by itself
constexpr Duration kSaveMax = std::chrono::minutes(5);

// Looks for "stop" and "kill" in the life's directory, and passes them on as interrupts: the first
// asks for a checkpoint, the second ends at once.
class AskedWatch {
 public:
  AskedWatch(const LifeDir& dir, std::vector<std::string> stop_command,
             const Environment& environment)
      : dir_(dir),
        stop_command_(std::move(stop_command)),
        environment_(environment),
        end_(eventfd(0, EFD_CLOEXEC)),
        thread_([this] { watch(); }) {}
  ~AskedWatch() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(end_.fd(), &one, sizeof one);
  }
  AskedWatch(const AskedWatch&) = delete;
  AskedWatch& operator=(const AskedWatch&) = delete;

 private:
  void watch() {
    bool is_stopped = false;
    for (;;) {
      pollfd ended{end_.fd(), POLLIN, 0};
      if (poll(&ended, 1, kLookEveryMs) > 0) return;
      if (dir_.is_asked("kill")) {
        // Two that do not become one on their way.
        ::kill(getpid(), SIGINT);
        ::kill(getpid(), SIGTERM);
        return;
      }
      if (is_stopped || !dir_.is_asked("stop")) continue;
      is_stopped = true;
      if (stop_command_.empty()) {
        ::kill(getpid(), SIGTERM);
      } else {
        run_stop_command();
      }
    }
  }

  void run_stop_command() {
    const auto path = find_command(stop_command_[0], environment_);
    if (!path.ok()) return;
    auto child = ChildProcess::spawn(*path, stop_command_, environment_, ChildOutput::kInherited);
    if (!child.ok()) return;
    pollfd polled{child->pid_fd(), POLLIN, 0};
    poll(&polled, 1, 30'000);
  }

  const LifeDir& dir_;
  const std::vector<std::string> stop_command_;
  const Environment& environment_;
  const UniqueFd end_;
  std::jthread thread_;  // last: it uses all of the above
};

using Processes = std::vector<std::unique_ptr<SupervisedNode>>;

Result<Processes> start_all(const LifeSpec& spec, const Environment& environment,
                            const std::string& meeting, Warden& warden) {
  Processes processes;
  for (const LifeProcess& one : spec.processes) {
    Environment variables = environment;
    for (const auto& [name, value] : one.environment) variables[name] = value;
    if (spec.processes.size() > 1) variables["GODWIT_RENDEZVOUS"] = meeting;
    if (one.command.empty()) return invalid_argument("a process without a command");
    GODWIT_TRY_ASSIGN(const std::string path, find_command(one.command[0], variables));
    auto child = ChildProcess::spawn(path, one.command, variables);
    if (!child.ok()) return std::move(child).error();
    warden.watch(child->pid());
    processes.push_back(
        std::make_unique<SupervisedNode>(std::int64_t(processes.size()), std::move(*child)));
  }
  return processes;
}

// Of a life before that was lost before its first checkpoint.
Result<> put_aside(Disk& disk, const std::string& run, const std::string& life) {
  if (run.empty() || !disk.list(run).ok()) return {};
  return disk.rename(run, fmt::format("{}.before-{}", run, life.substr(life.rfind('/') + 1)));
}

Result<LaunchOutcome> run_processes(const LifeDir& dir, const LifeSpec& spec,
                                    const Environment& environment, Disk& disk,
                                    const TimeSource& time) {
  GODWIT_TRY(put_aside(disk, spec.new_run, dir.path()));
  if (!spec.cwd.empty() && chdir(spec.cwd.c_str()) != 0) {
    return invalid_argument("cannot go to {}: {}", spec.cwd, std::strerror(errno));
  }
  SignalIntake signals;
  FileLimit files;
  GODWIT_TRY(files.raise_for(static_cast<std::int64_t>(spec.processes.size())));
  GODWIT_TRY_ASSIGN(const JobDir meeting,
                    JobDir::make(temporary_dir(value_of(environment, "TMPDIR").value_or(""))));
  GODWIT_TRY_ASSIGN(Warden warden, Warden::start({.dirs = {meeting.path()}, .job = spec.job}));
  GODWIT_TRY_ASSIGN(Processes processes,
                    start_all(spec, environment, "unix:" + meeting.path() + "/rendezvous", warden));
  std::vector<pid_t> groups;
  for (const auto& process : processes) groups.push_back(process->process.pid());
  LaunchOutcome outcome;
  {
    const AskedWatch watch(dir, spec.stop_command, environment);
    Supervisor supervisor(std::move(processes), {.interrupt_grace = kSaveMax}, time, signals);
    outcome = supervisor.run();
  }
  for (const pid_t group : groups) warden.forget(group);
  return outcome;
}

std::string words_of(const LaunchOutcome& outcome) {
  if (outcome.was_interrupted) return "it was interrupted";
  if (!outcome.failure) return "";
  std::string text =
      fmt::format("node {} {}", outcome.failure->node, to_string(outcome.failure->status));
  if (!outcome.failure->last_lines.empty()) text += ": " + outcome.failure->last_lines.back();
  return text;
}

}  // namespace

Result<int> run_job(const std::string& life_dir, const Environment& environment, Disk& disk,
                    const TimeSource& time) {
  LifeDir dir(disk, life_dir);
  GODWIT_TRY_ASSIGN(const LifeSpec spec, dir.read_spec());
  GODWIT_TRY_ASSIGN(const bool is_mine, dir.claim(claim_of_this_process()));
  if (!is_mine) return aborted("{} has begun already, or never will", life_dir);
  const auto outcome = run_processes(dir, spec, environment, disk, time);
  const LifeExit exit = outcome.ok() ? LifeExit{outcome->exit_code, words_of(*outcome)}
                                     : LifeExit{kExitUsageOfLife, outcome.error().message()};
  GODWIT_TRY(dir.write_exit(exit));
  return exit.code;
}

}  // namespace godwit
