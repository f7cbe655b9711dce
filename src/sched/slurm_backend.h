// sched/slurm_backend.h: lives of jobs as jobs of Slurm, whose nodes are the cluster's machines.
// Each life is one batch job of a name of its own, which places it exactly as decided and becomes
// the runner (run_job.h) on its first machine. The scheduler's state must be on a file system that
// all machines see. Owned by one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "launch/environment.h"
#include "sched/backend.h"
#include "sched/slurm_text.h"

namespace godwit {

class SlurmBackend final : public Backend {
 public:
  struct Options {
    std::string program;  // godwit itself, by its path on all machines
    Environment environment;
  };
  // REQUIRES: `cluster`, `disk` and `time` outlive it.
  SlurmBackend(const Cluster& cluster, Options options, Disk& disk, const TimeSource& time);

  // Whether Slurm answers and knows all machines of the cluster: kUnavailable or kInvalidArgument.
  Result<> open();

  Result<> start(const LifeOrder& order) override;
  Result<> stop(const LifeId& life) override;
  Result<> kill(const LifeId& life, bool hard) override;
  Result<std::vector<Sighting>> look(const std::vector<LifeId>& lives) override;
  Result<std::vector<char>> machines_up() override;
  Result<> check(const Job& job) const override;
  Duration look_every() const override { return std::chrono::milliseconds(500); }

 private:
  using Queue = std::map<std::string, std::vector<QueuedPart>>;

  Result<std::string> run(const std::vector<std::string>& command);
  Result<Queue> queue();
  Result<Sighting> look_at(const LifeId& life, const Queue& queue);
  // What is to be thought of a life of which Slurm says `state`: that it is not there.
  Result<Sighting> look_at_gone(const LifeId& life, const std::string& state);
  Result<> cancel_queued(const LifeId& life);

  const Cluster& cluster_;
  const Options options_;
  Disk& disk_;
  const TimeSource& time_;
  std::map<std::string, Time> killed_;  // by name: when lives were first told to end at once
};

}  // namespace godwit
