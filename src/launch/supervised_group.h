// launch/supervised_group.h: one group of a job: starts it, sees its end, clears away what is left
// of it, starts it again or gives it up. Never blocks. Not thread-safe; owned by GroupSupervisor,
// which tells it of events and asks when it wants to be asked again.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "launch/child_process.h"
#include "launch/group_lives.h"
#include "launch/job_processes.h"
#include "launch/mpi_launcher.h"
#include "launch/output_relay.h"

namespace godwit {

// What a group is started with, and by.
struct GroupSetup {
  std::int64_t group = 0;
  std::string job;
  MpiKind kind = MpiKind::kPlain;
  RestartPolicy restarts;
  // Starts a life of the group, in a session of its own.
  std::function<Result<ChildProcess>(std::int64_t life)> start;
  // Called when no process of a life is left, before the number of its first can be used again.
  std::function<void(pid_t first)> ended;
  // How long what is left of a group may take to end by itself before it is killed: srun leaves a
  // process that ends its ranks on other hosts.
  Duration patience{};
};

class SupervisedGroup {
 public:
  enum class State {
    kWaiting,   // for the time of its next life
    kRunning,   // its launcher lives
    kSweeping,  // its launcher has ended; others of its processes may not have
    kFinished,  // well
    kGivenUp,   // failed once too often
    kStopped,   // as it was told to
  };

  // REQUIRES: `relay` outlives it. The first life begins with the first call of on_time().
  SupervisedGroup(GroupSetup setup, OutputRelay& relay);

  std::int64_t group() const { return setup_.group; }
  State state() const { return state_; }
  bool is_over() const { return state_ >= State::kFinished; }
  std::int64_t restarts() const { return lives_.life(); }
  // How its last life ended; what mpirun says of a rank that a signal ended counts as its own end.
  const ExitStatus& status() const { return status_; }
  Speaker& speaker() { return speaker_; }
  const Speaker& speaker() const { return speaker_; }
  // Null while it has none.
  ChildProcess* process() { return process_ ? &*process_ : nullptr; }
  // Of processes that it waits for in kSweeping.
  const std::vector<UniqueFd>& left() const { return left_; }

  // When on_time() has something to do; nothing: only after an event.
  std::optional<Time> due() const;
  void on_time(Time now);
  // One of process()->pid_fd() and left() is readable.
  void on_end(Time now);

  // There is no further life. The program of each rank gets `signal`, and is woken to take it; the
  // end is then its answer.
  void stop(int signal, Time now);
  // Likewise, and all processes are killed.
  void kill(Time now);

 private:
  void start(Time now);
  void look_for_unseen_death(Time now);
  void sweep(Time now);
  void settle(Time now);
  void fail(Time now, const std::string& how);
  void kill_all();
  JobProcesses processes() const;

  const GroupSetup setup_;
  OutputRelay& relay_;
  Speaker speaker_;
  GroupLives lives_;

  State state_ = State::kWaiting;
  bool is_stopping_ = false;
  std::optional<ChildProcess> process_;
  std::vector<UniqueFd> left_;
  ExitStatus status_;
  std::optional<Time> start_at_;      // in kWaiting; nothing: at once
  Time begun_{};                      // in kRunning and kSweeping
  Time look_at_{};                    // in kRunning
  bool had_children_ = false;         // its launcher, in this life
  std::optional<Time> unseen_since_;  // in kRunning: a rank ended and the launcher did not notice
  std::optional<Time> kill_at_;       // in kSweeping
};

// The status of a launcher that passes on its ranks' ends the way a shell does: 137 is signal 9.
ExitStatus group_status(const ExitStatus& launcher);

// The rank that a launcher names in its last lines as the one that failed.
std::optional<std::int64_t> failed_rank(const std::deque<std::string>& lines);

}  // namespace godwit
