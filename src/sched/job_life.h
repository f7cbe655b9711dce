// sched/job_life.h: the life of a job as a state machine, in pure functions over its record. No
// I/O and no clock: times are given. docs/adr/0022 has the picture.
//
// What is to be done for a job is a function of its record alone (order_of()), and doing it twice
// is the same as doing it once: the record is written first, then its order is carried out, and
// after a crash the orders of all records are carried out again. A life (incarnation) is
// begun at most once by whoever carries out the order, and the next one begins only after the end
// of the one before was seen.
#pragma once

#include <cstdint>
#include <string>

#include "sched/live_job.h"

namespace godwit {

// What a back-end sees of one life of a job.
struct Sighting {
  enum class Kind : std::uint8_t {
    kAbsent,   // it has not begun, as far as is known
    kQueued,   // it is handed over and will begin
    kRunning,  // it has begun
    kEnded,    // with exit_code; no process is left
    kLost,     // it had begun and is gone, without an exit code; no process is left
  };
  Kind kind = Kind::kAbsent;
  int exit_code = 0;
  std::string text;  // about the end, for people
};

enum class Order : std::uint8_t { kNone, kStart, kStop, kKill };
Order order_of(const JobRecord& record);

// Exit codes that mean another life; all others but 0 are failures for good.
inline constexpr int kJobLostNodes = 3;
// What Slurm and shells say of a task that a signal has ended: kJobSignalled and its number.
inline constexpr int kJobSignalled = 128;
inline constexpr int kJobSignalledMax = 192;
// One of them: also what a job says that has saved and ended as it was told.
inline constexpr int kJobInterrupted = 130;

// Lives in a row that may be lost without progress before the job is given up.
inline constexpr int kLossesMax = 3;
// How long an order to start may have no effect before the life counts as lost.
inline constexpr std::int64_t kStartPatienceMs = 60'000;
// How long a life may wait in a cluster's own queue, behind others' jobs, before it is taken back.
inline constexpr std::int64_t kQueuePatienceMs = 300'000;

// Each returns whether the record has changed: then it must be written before anything else.

// The policy wants it there; nowhere if empty. Who waits is started (the caller has checked that
// there is room); who runs elsewhere is told to save. A job without checkpoints stays where it is.
bool on_wish(JobRecord& record, const JobShares& wanted, std::int64_t now_ms);
// The back-end has seen the life `incarnation`; anything about an earlier one is no news.
bool on_sighting(JobRecord& record, std::int64_t incarnation, const Sighting& sighting,
                 std::int64_t now_ms);
bool on_cancel(JobRecord& record, std::int64_t now_ms);
// The policy will never run it. REQUIRES: it waits, and never ran.
bool on_refusal(JobRecord& record, const std::string& reason, std::int64_t now_ms);
// What the job says of itself, in [0, 1]; less than before if it resumed an earlier checkpoint.
// What is not a finite number is ignored.
bool on_progress(JobRecord& record, double done);

}  // namespace godwit
