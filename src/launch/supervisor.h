// launch/supervisor.h: watches the started nodes of a job until all of it has ended: passes their
// output on, ends the others when one fails, hands interrupts on. Waits only for events.
// Not thread-safe; everything happens in run().
#pragma once

#include <poll.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "launch/child_process.h"
#include "launch/launch_outcome.h"
#include "launch/output_relay.h"
#include "launch/signal_intake.h"

namespace godwit {

// A started node and where its output goes.
struct SupervisedNode {
  SupervisedNode(std::int64_t number, ChildProcess started);

  const std::int64_t node;
  ChildProcess process;
  Speaker speaker;
  bool has_ended = false;
};

struct SupervisorOptions {
  int out_fd = 1;                                    // gets the nodes' output, tagged
  int err_fd = 2;                                    // gets their errors, tagged, and our warnings
  bool is_quiet = false;                             // leave out the nodes' lines
  Duration failure_grace = std::chrono::seconds(2);  // from SIGTERM to SIGKILL
  Duration interrupt_grace = std::chrono::seconds(10);  // likewise after an interrupt
  // Nodes from this one on may die by a signal, or say that they have lost others: those go on.
  std::int64_t spared_from = std::numeric_limits<std::int64_t>::max();
};

class Supervisor {
 public:
  // REQUIRES: `time` and `signals` outlive the supervisor.
  Supervisor(std::vector<std::unique_ptr<SupervisedNode>> nodes, const SupervisorOptions& options,
             const TimeSource& time, SignalIntake& signals);

  // Returns when no process of any node's group is left and all output is written. First failure:
  // SIGTERM to the groups, after the grace SIGKILL. First interrupt: handed on, after the grace
  // SIGKILL; a second: SIGKILL at once. Output that still waits for its reader is dropped by an
  // interrupt after all have ended, and when the grace of an earlier interrupt is over.
  LaunchOutcome run();

 private:
  enum class Phase { kRunning, kStopping, kKilled };

  bool is_over();
  void wait_for_events();
  void take_signals();
  void take_ends();
  bool find_strays();
  void stop(int signal, Duration grace);
  void kill_all();
  void signal_all(int signal);
  bool is_told(const ExitStatus& status) const;
  bool is_spared(const SupervisedNode& node, const ExitStatus& status) const;
  LaunchOutcome outcome() const;

  const SupervisorOptions options_;
  const TimeSource& time_;
  SignalIntake& signals_;
  std::vector<std::unique_ptr<SupervisedNode>> nodes_;
  OutputRelay relay_;

  Phase phase_ = Phase::kRunning;
  int sent_signal_ = 0;          // by stop()
  std::optional<Time> kill_at_;  // in kStopping
  bool was_interrupted_ = false;
  bool drop_output_ = false;
  bool is_swept_ = false;            // no process of any group is left
  std::size_t live_ = 0;             // nodes that have not ended
  std::vector<NodeEnd> ends_;        // in the order of time
  std::vector<UniqueFd> stray_fds_;  // of processes left in the groups of ended nodes
  std::vector<pollfd> polled_;
};

}  // namespace godwit
