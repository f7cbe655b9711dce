// launch/job_processes.cc: looking through /proc, and killing what was found there.
#include "launch/job_processes.h"

#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "launch/poll_timeout.h"

namespace godwit {
namespace {

constexpr Duration kKillMax = std::chrono::seconds(5);

bool belongs(const ProcessEntry& process, const JobProcesses& wanted) {
  if (wanted.sessions.contains(process.session)) return true;
  if (wanted.job.empty()) return false;
  const Environment environment = started_with(process.pid);
  if (value_of(environment, "GODWIT_JOB") != wanted.job) return false;
  return !wanted.group || value_of(environment, "GODWIT_GROUP") == std::to_string(*wanted.group);
}

bool has_rank(const ProcessEntry& process) {
  constexpr std::array<std::string_view, 4> kNames = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                                      "PMIX_RANK", "SLURM_PROCID"};
  const Environment environment = started_with(process.pid);
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return value_of(environment, name).has_value();
  });
}

// Until all of `processes` have ended, at most until `deadline`.
void wait_for_ends(const std::vector<ProcessEntry>& processes, Time deadline,
                   const TimeSource& time) {
  for (const ProcessEntry& process : processes) {
    const UniqueFd watch = watch_process(process.pid);
    if (!watch.is_open()) continue;
    pollfd polled{watch.fd(), POLLIN, 0};
    poll(&polled, 1, poll_timeout_ms(deadline, time.now()));
  }
}

}  // namespace

std::vector<ProcessEntry> find_processes(const JobProcesses& wanted) {
  std::vector<ProcessEntry> found;
  for (ProcessEntry& process : all_processes()) {
    if (process.is_zombie || process.pid == getpid() || process.name == "godwit-warden") continue;
    if (belongs(process, wanted)) found.push_back(std::move(process));
  }
  return found;
}

std::vector<ProcessEntry> find_ranks(const JobProcesses& wanted) {
  auto found = find_processes(wanted);
  std::erase_if(found, [](const ProcessEntry& process) { return !has_rank(process); });
  return found;
}

UniqueFd watch_process(std::int64_t pid) {
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
}

void kill_processes(const JobProcesses& wanted, Duration patience, const TimeSource& time) {
  const Time kill_at = time.now() + patience;
  const Time give_up_at = kill_at + kKillMax;
  for (Time now = time.now(); now < give_up_at; now = time.now()) {
    const auto found = find_processes(wanted);
    if (found.empty()) return;
    if (now < kill_at) {
      wait_for_ends(found, kill_at, time);
      continue;
    }
    for (const ProcessEntry& process : found) kill(static_cast<pid_t>(process.pid), SIGKILL);
    wait_for_ends(found, give_up_at, time);
  }
}

}  // namespace godwit
