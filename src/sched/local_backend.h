// sched/local_backend.h: lives of jobs as processes of this host, whose machines are shares of it.
// Each life has a runner, `godwit sched run-job DIR`, in a session of its own: it outlives the
// daemon, and is found again through the life's directory. Owned by one thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "launch/environment.h"
#include "sched/backend.h"
#include "sched/life_dir.h"

namespace godwit {

class LocalBackend final : public Backend {
 public:
  struct Options {
    std::string program;  // godwit itself, by its path
    Environment environment;
  };
  // REQUIRES: `cluster`, `disk` and `time` outlive it.
  LocalBackend(const Cluster& cluster, Options options, Disk& disk, const TimeSource& time);

  Result<> start(const LifeOrder& order) override;
  Result<> stop(const LifeId& life) override;
  Result<> kill(const LifeId& life, bool hard) override;
  Result<std::vector<Sighting>> look(const std::vector<LifeId>& lives) override;
  Result<std::vector<char>> machines_up() override;
  Result<> check(const Job& job) const override;
  Duration look_every() const override { return std::chrono::milliseconds(100); }

 private:
  Result<Sighting> look_at(const LifeId& life);
  void reap_ended();

  const Cluster& cluster_;
  const Options options_;
  Disk& disk_;
  const TimeSource& time_;
  std::vector<pid_t> runners_;  // that this process started, and not reaped
};

// The nodes of a job as processes of this host that are told their place by variables: those of
// `godwit launch`, and GODWIT_MACHINE.
LifeSpec local_spec(const LifeOrder& order, const Cluster& cluster, const std::string& token);

// Says "stop" or "kill" to a life: in its directory, and by claiming it if nobody has.
Result<> ask_life(Disk& disk, const LifeId& life, const char* what);
// What its directory tells for sure: kEnded, or kAbsent if it tells nothing; kQueued if it is
// claimed by a process that may or may not be there.
Result<Sighting> sighting_by_dir(Disk& disk, const LifeId& life);

// `godwit sched run-job DIR` in a session of its own that outlives this process, its output in the
// life's `out`; its pid, which is the caller's to reap. kUnavailable if the system refuses.
Result<pid_t> spawn_runner(const std::string& program, const LifeDir& dir,
                           const Environment& environment);

}  // namespace godwit
