// launch/group_supervisor.h: watches the table nodes and the groups of a job until all of it has
// ended. A group that dies is started again while the others go on; a table node that dies ends the
// job. Waits only for events. Not thread-safe; everything happens in run().
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/time_source.h"
#include "launch/launch_outcome.h"
#include "launch/orphans.h"
#include "launch/output_relay.h"
#include "launch/signal_intake.h"
#include "launch/supervised_group.h"
#include "launch/supervisor.h"

namespace godwit {

struct GroupSupervisorOptions {
  SupervisorOptions common;  // but spared_from
  // How long table nodes may take to end by themselves once all groups have.
  Duration server_grace = std::chrono::seconds(10);
};

struct GroupToSupervise {
  GroupSetup setup;
  std::unique_ptr<DiskFile> log;  // null: none
  std::string log_path;
};

class GroupSupervisor {
 public:
  // REQUIRES: `time`, `signals` and `orphans` outlive the supervisor; `servers` have started.
  GroupSupervisor(std::string job, std::vector<std::unique_ptr<SupervisedNode>> servers,
                  std::vector<GroupToSupervise> groups, const GroupSupervisorOptions& options,
                  const TimeSource& time, SignalIntake& signals, Orphans& orphans);

  // Returns when no process of the job is left and all output is written. Interrupts and the end
  // after a failure are as in Supervisor::run().
  GroupLaunchOutcome run();

 private:
  enum class Phase { kRunning, kStopping, kKilled };

  bool is_over();
  bool have_all_ended() const;
  bool have_groups_ended() const;
  bool has_finished_group() const;
  void wait_for_events();
  void poll_all();
  std::optional<Time> deadline() const;
  void take_signals();
  void take_server_ends();
  void decide(Time now);
  bool find_strays();
  void stop(int signal, Duration grace);
  void kill_all();
  bool is_told(const ExitStatus& status) const;
  GroupLaunchOutcome outcome() const;

  const std::string job_;
  const GroupSupervisorOptions options_;
  const TimeSource& time_;
  SignalIntake& signals_;
  Orphans& orphans_;
  OutputRelay relay_;
  std::vector<std::unique_ptr<SupervisedNode>> servers_;
  std::vector<std::unique_ptr<SupervisedGroup>> groups_;

  Phase phase_ = Phase::kRunning;
  int sent_signal_ = 0;                 // by stop()
  std::optional<Time> kill_at_;         // in kStopping
  std::optional<Time> servers_end_by_;  // in kRunning, after all groups have ended
  bool was_interrupted_ = false;
  bool drop_output_ = false;
  bool is_swept_ = false;         // no process of the job is left
  std::vector<NodeEnd> ends_;     // of table nodes, in the order of time
  std::vector<UniqueFd> strays_;  // processes left after all have ended
  std::vector<pollfd> polled_;
};

}  // namespace godwit
