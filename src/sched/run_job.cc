// sched/run_job.cc: claim, start, watch, write down.
#include "sched/run_job.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "sched/job_life.h"
#include "sched/life_dir.h"

namespace godwit {
namespace {

constexpr int kExitUsageOfLife = 2;
constexpr int kLookEveryMs = 100;  // a directory on another host tells nothing by itself
constexpr int kStopCommandMs = 30'000;
// A stop command that failed is tried again.
constexpr Duration kStopAgain = std::chrono::seconds(1);
constexpr Duration kSaveMax = std::chrono::minutes(5);

// Looks for "stop" and "kill" in the life's directory, and passes them on as interrupts: the first
// asks for a checkpoint, the second ends at once. Who has not ended kSaveMax after it was to stop,
// whether it heard of it or not, is ended too.
class AskedWatch {
 public:
  AskedWatch(const LifeDir& dir, std::vector<std::string> stop_command,
             const Environment& environment, const TimeSource& time)
      : dir_(dir),
        stop_command_(std::move(stop_command)),
        environment_(environment),
        time_(time),
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
    std::optional<Time> asked;  // to stop, first
    std::optional<Time> tried;  // to pass it on, last
    bool is_heard = false;
    for (;;) {
      pollfd ended{end_.fd(), POLLIN, 0};
      if (poll(&ended, 1, kLookEveryMs) > 0) return;
      const Time now = time_.now();
      if ((asked && now - *asked >= kSaveMax) || dir_.is_asked("kill")) {
        // Two that do not become one on their way.
        ::kill(getpid(), SIGINT);
        ::kill(getpid(), SIGTERM);
        return;
      }
      if (is_heard || !dir_.is_asked("stop")) continue;
      if (!asked) asked = now;
      if (tried && now - *tried < kStopAgain) continue;
      is_heard = pass_on_stop();
      tried = time_.now();
    }
  }

  bool pass_on_stop() {
    if (!stop_command_.empty()) return run_stop_command();
    ::kill(getpid(), SIGTERM);
    return true;
  }

  // Whether it exited with 0.
  bool run_stop_command() {
    const auto path = find_command(stop_command_[0], environment_);
    if (!path.ok()) return false;
    auto child = ChildProcess::spawn(*path, stop_command_, environment_, ChildOutput::kInherited);
    if (!child.ok()) return false;
    std::array<pollfd, 2> polled{{{child->pid_fd(), POLLIN, 0}, {end_.fd(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), kStopCommandMs);
    const auto status = child->status();
    return status && status->is_ok();
  }

  const LifeDir& dir_;
  const std::vector<std::string> stop_command_;
  const Environment& environment_;
  const TimeSource& time_;
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
    const AskedWatch watch(dir, spec.stop_command, environment, time);
    Supervisor supervisor(std::move(processes), {.interrupt_grace = kSaveMax}, time, signals);
    outcome = supervisor.run();
  }
  for (const pid_t group : groups) warden.forget(group);
  return outcome;
}

// What tells most about a failure: the last word of our own programs, else of anybody but Slurm.
std::string telling_line(const std::vector<std::string>& lines) {
  const auto last = [&](const auto& is_wanted) {
    return std::find_if(lines.rbegin(), lines.rend(), is_wanted);
  };
  auto line = last([](const std::string& one) { return one.starts_with("godwit "); });
  if (line == lines.rend()) {
    line = last([](const std::string& one) {
      return !one.starts_with("srun:") && !one.starts_with("slurmstepd:");
    });
  }
  if (line == lines.rend()) line = lines.rbegin();
  return line == lines.rend() ? "" : *line;
}

std::string words_of(const LaunchOutcome& outcome) {
  if (outcome.was_interrupted) return "it was interrupted";
  if (!outcome.failure) return "";
  std::string text =
      fmt::format("node {} {}", outcome.failure->node, to_string(outcome.failure->status));
  const std::string line = telling_line(outcome.failure->last_lines);
  return line.empty() ? text : text + ": " + line;
}

// What a life ends with that could not begin: where the system had no room, another may.
LifeExit exit_of(const Error& error) {
  const bool is_passing = error.code() == ErrorCode::kUnavailable;
  return {is_passing ? kJobLostNodes : kExitUsageOfLife, error.message()};
}

}  // namespace

Result<int> run_job(const std::string& life_dir, const Environment& environment, Disk& disk,
                    const TimeSource& time) {
  LifeDir dir(disk, life_dir);
  GODWIT_TRY_ASSIGN(const LifeSpec spec, dir.read_spec());
  GODWIT_TRY_ASSIGN(const bool is_mine, dir.claim(claim_of_this_process()));
  if (!is_mine) return aborted("{} has begun already, or never will", life_dir);
  const auto outcome = run_processes(dir, spec, environment, disk, time);
  const LifeExit exit =
      outcome.ok() ? LifeExit{outcome->exit_code, words_of(*outcome)} : exit_of(outcome.error());
  GODWIT_TRY(dir.write_exit(exit));
  return exit.code;
}

}  // namespace godwit
