// sched/live_job.h: what is kept of a job that really runs: its phase, its lives, where it is.
// Values; no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sched/job.h"

namespace godwit {

enum class JobPhase : std::uint8_t {
  kWaiting,     // to be started when it is its turn
  kStarting,    // this life is decided; its processes may be there or not
  kRunning,     // they were seen
  kSaving,      // they were asked to write a checkpoint and to end
  kCancelling,  // they are being ended for good
  kDone,
  kFailed,
  kCancelled,
  kRefused,
};

std::string_view to_string(JobPhase phase);
std::optional<JobPhase> parse_job_phase(std::string_view text);

inline bool is_over(JobPhase phase) {
  return phase >= JobPhase::kDone;
}
// Whether processes of it may be on its machines.
inline bool holds_machines(JobPhase phase) {
  return phase >= JobPhase::kStarting && phase <= JobPhase::kCancelling;
}

// All that survives the daemon. The store keeps it; JobLife says how it changes.
struct JobRecord {
  std::int64_t id = 0;  // from 1, in the order of submission
  std::string name;
  std::string file;  // the text of its job file
  std::string path;  // where that was, for messages
  std::string dir;   // in which it was submitted: its command runs there
  std::int64_t submitted_ms = 0;

  JobPhase phase = JobPhase::kWaiting;
  std::int64_t since_ms = 0;     // of the phase
  std::string reason;            // of the phase, in words; may be empty
  std::int64_t incarnation = 0;  // its lives so far; 0: none
  JobShares placement;           // of this life, if it holds machines: workers only
  bool has_checkpoints = true;   // else a life that ends early was for nothing
  double done = 0;               // share of the work, as last told by the job
  double done_before = 0;        // when this life began
  int losses = 0;                // lives in a row that were lost without any progress

  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

}  // namespace godwit
