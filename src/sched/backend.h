// sched/backend.h: what really starts, watches and ends the lives of jobs. Owned by one thread;
// calls may take as long as asking a cluster takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/job_life.h"
#include "sched/live_command.h"

namespace godwit {

// One life of a job.
struct LifeId {
  std::string name;  // of no other life anywhere: "godwit-1f2e-7.2"
  std::string dir;   // see life_dir.h
};

struct LifeOrder {
  LifeId life;
  NodeLayout layout;
  std::vector<std::string> command;  // with nothing in braces
  std::string cwd;
  std::string new_run;      // a directory that the command makes; empty: it resumes
  Resources node_demand{};  // of one node
};

// Everything may be said again, also by another process after a crash, to the same effect.
class Backend {
 public:
  virtual ~Backend() = default;

  // Begins the life unless it has begun or was stopped before. Success does not mean that it runs:
  // look() tells. kInvalidArgument: it never will.
  virtual Result<> start(const LifeOrder& order) = 0;
  // Has it write a checkpoint and end. If it has not begun it never will: look() then says that it
  // was interrupted.
  virtual Result<> stop(const LifeId& life) = 0;
  // Ends it now; `hard`: it was told, and is still there.
  virtual Result<> kill(const LifeId& life, bool hard) = 0;

  // In the order of `lives`.
  virtual Result<std::vector<Sighting>> look(const std::vector<LifeId>& lives) = 0;
  // By machine of the cluster: 0 if it is away.
  virtual Result<std::vector<char>> machines_up() = 0;

  // Whether it can run such a job at all; kInvalidArgument says why not.
  virtual Result<> check(const Job& job) const = 0;
  // How often look() is worth its while.
  virtual Duration look_every() const = 0;
};

}  // namespace godwit
