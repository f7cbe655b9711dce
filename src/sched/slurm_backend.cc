// sched/slurm_backend.cc: sbatch, squeue, scancel, sinfo.
#include "sched/slurm_backend.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/replace_file.h"
#include "base/try.h"
#include "launch/job_dir.h"
#include "sched/local_backend.h"
#include "sched/run_command.h"

namespace godwit {
namespace {

constexpr Duration kCommandMax = std::chrono::seconds(30);
// By then a runner that was told to end at once, and of which Slurm knows nothing, has.
constexpr Duration kKillMax = std::chrono::seconds(10);
constexpr const char* kCpu = "cpu";

// A daemon that is itself in an allocation must not hand its place on.
Environment without_steps(Environment environment) {
  std::erase_if(environment, [](const auto& entry) {
    return entry.first.starts_with("SLURM_") && entry.first != "SLURM_CONF";
  });
  return environment;
}

bool is_queued(const QueuedPart& part) {
  return part.state == "PENDING" || part.state == "CONFIGURING";
}
bool is_there(const QueuedPart& part) {
  return is_queued(part) || part.state == "RUNNING" || part.state == "COMPLETING" ||
         part.state == "SUSPENDED" || part.state == "STOPPED" || part.state == "SIGNALING" ||
         part.state == "STAGE_OUT" || part.state == "RESIZING";
}

}  // namespace

SlurmBackend::SlurmBackend(const Cluster& cluster, Options options, Disk& disk,
                           const TimeSource& time)
    : cluster_(cluster),
      options_{std::move(options.program), without_steps(std::move(options.environment))},
      disk_(disk),
      time_(time) {}

Result<std::string> SlurmBackend::run(const std::vector<std::string>& command) {
  return run_command(command, options_.environment, kCommandMax, time_);
}

Result<> SlurmBackend::open() {
  GODWIT_TRY_ASSIGN(const std::string text, run(sinfo_arguments()));
  GODWIT_TRY_ASSIGN(const auto up, parse_sinfo(text));
  for (const Machine& machine : cluster_.machines) {
    if (!up.contains(machine.name)) {
      return invalid_argument("Slurm has no node '{}', but the cluster file has", machine.name);
    }
  }
  if (cluster_.resource_number(kCpu) < 0) {
    return invalid_argument("machines of Slurm need the resource cpu");
  }
  return {};
}

Result<> SlurmBackend::check(const Job& job) const {
  const double cpus = job.worker[static_cast<std::size_t>(cluster_.resource_number(kCpu))];
  if (cpus >= 1 && cpus == std::floor(cpus)) return {};
  return invalid_argument(
      "a worker, with its part of a server, takes {} cpu, but Slurm gives whole ones", cpus);
}

Result<SlurmBackend::Queue> SlurmBackend::queue() {
  GODWIT_TRY_ASSIGN(const std::string text, run(squeue_arguments()));
  return parse_squeue(text);
}

Result<> SlurmBackend::start(const LifeOrder& order) {
  LifeDir dir(disk_, order.life.dir);
  GODWIT_TRY(dir.write_spec(slurm_spec(order, random_hex(16))));
  GODWIT_TRY_ASSIGN(const auto claim, dir.read_claim());
  if (claim) return {};
  GODWIT_TRY_ASSIGN(const Queue queue, this->queue());
  if (queue.contains(order.life.name)) return {};
  const std::string script = dir.file("batch");
  GODWIT_TRY(replace_file(disk_, script, batch_script(options_.program, dir)));
  const auto cpu = static_cast<std::size_t>(cluster_.resource_number(kCpu));
  const int cpus = std::max(1, static_cast<int>(std::ceil(order.node_demand[cpu] - 1e-9)));
  GODWIT_TRY_ASSIGN(const std::string id, run(sbatch_arguments(order, cluster_, cpus, script)));
  return replace_file(disk_, dir.file("slurm"), id);
}

// What waits in the queue and was not begun is not worth waiting for.
Result<> SlurmBackend::cancel_queued(const LifeId& life) {
  GODWIT_TRY_ASSIGN(const Queue queue, this->queue());
  const auto found = queue.find(life.name);
  if (found == queue.end() || !std::ranges::any_of(found->second, is_there)) return {};
  GODWIT_TRY(run({"scancel", "--me", "--jobname=" + life.name}));
  return {};
}

Result<> SlurmBackend::stop(const LifeId& life) {
  GODWIT_TRY(ask_life(disk_, life, "stop"));
  GODWIT_TRY_ASSIGN(const Sighting seen, sighting_by_dir(disk_, life));
  // Ended already means here that it never began.
  return seen.kind == Sighting::Kind::kEnded ? cancel_queued(life) : Result<>();
}

Result<> SlurmBackend::kill(const LifeId& life, bool hard) {
  GODWIT_TRY(ask_life(disk_, life, "kill"));
  killed_.try_emplace(life.name, time_.now());
  GODWIT_TRY_ASSIGN(const Sighting seen, sighting_by_dir(disk_, life));
  return hard || seen.kind == Sighting::Kind::kEnded ? cancel_queued(life) : Result<>();
}

Result<Sighting> SlurmBackend::look_at(const LifeId& life, const Queue& queue) {
  const auto found = queue.find(life.name);
  const bool is_known = found != queue.end();
  const bool lives = is_known && std::ranges::any_of(found->second, is_there);
  GODWIT_TRY_ASSIGN(Sighting seen, sighting_by_dir(disk_, life));
  if (seen.kind == Sighting::Kind::kEnded) {
    // Its machines are free once Slurm says so too.
    return lives ? Sighting{.kind = Sighting::Kind::kRunning} : seen;
  }
  if (lives) {
    const bool has_begun = seen.kind == Sighting::Kind::kQueued;
    return Sighting{.kind = has_begun ? Sighting::Kind::kRunning : Sighting::Kind::kQueued};
  }
  const bool was_handed_over = is_known || LifeDir(disk_, life.dir).is_asked("slurm");
  if (seen.kind == Sighting::Kind::kAbsent && !was_handed_over) return seen;
  return look_at_gone(life, is_known ? found->second[0].state : "gone");
}

Result<Sighting> SlurmBackend::look_at_gone(const LifeId& life, const std::string& state) {
  // It may have ended well between asking Slurm and looking here.
  GODWIT_TRY_ASSIGN(Sighting seen, sighting_by_dir(disk_, life));
  if (seen.kind == Sighting::Kind::kEnded) return seen;
  // Nobody may begin it any more, should Slurm have lost track of it.
  GODWIT_TRY(ask_life(disk_, life, "kill"));
  GODWIT_TRY_ASSIGN(seen, sighting_by_dir(disk_, life));
  if (seen.kind == Sighting::Kind::kQueued) {
    // Whoever has begun it may live on: another life must not begin beside it.
    const auto killed = killed_.try_emplace(life.name, time_.now()).first;
    if (time_.now() - killed->second < kKillMax) return Sighting{.kind = Sighting::Kind::kRunning};
  }
  return Sighting{.kind = Sighting::Kind::kLost, .text = "its Slurm job is " + state};
}

Result<std::vector<Sighting>> SlurmBackend::look(const std::vector<LifeId>& lives) {
  std::vector<Sighting> seen;
  std::erase_if(killed_, [&](const auto& entry) {
    return std::ranges::find(lives, entry.first, &LifeId::name) == lives.end();
  });
  if (lives.empty()) return seen;
  GODWIT_TRY_ASSIGN(const Queue queue, this->queue());
  for (const LifeId& life : lives) {
    GODWIT_TRY_ASSIGN(Sighting one, look_at(life, queue));
    seen.push_back(std::move(one));
  }
  return seen;
}

Result<std::vector<char>> SlurmBackend::machines_up() {
  GODWIT_TRY_ASSIGN(const std::string text, run(sinfo_arguments()));
  GODWIT_TRY_ASSIGN(const auto up, parse_sinfo(text));
  std::vector<char> machines;
  for (const Machine& machine : cluster_.machines) {
    const auto found = up.find(machine.name);
    machines.push_back(found != up.end() && found->second ? 1 : 0);
  }
  return machines;
}

}  // namespace godwit
