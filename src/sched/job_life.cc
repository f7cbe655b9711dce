// sched/job_life.cc: transitions, each with its reason in words.
#include "sched/job_life.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace godwit {
namespace {

constexpr std::array<std::string_view, 9> kPhaseNames = {"waiting", "starting",   "running",
                                                         "saving",  "cancelling", "done",
                                                         "failed",  "cancelled",  "refused"};

void enter(JobRecord& record, JobPhase phase, std::int64_t now_ms, std::string reason) {
  record.phase = phase;
  record.since_ms = now_ms;
  record.reason = std::move(reason);
  if (!holds_machines(phase)) record.placement.clear();
}

bool end(JobRecord& record, JobPhase phase, std::int64_t now_ms, std::string reason) {
  enter(record, phase, now_ms, std::move(reason));
  return true;
}

// A life that ended though nobody wanted it to.
bool lose(JobRecord& record, std::int64_t now_ms, const std::string& how) {
  record.losses = record.done > record.done_before + 1e-9 ? 1 : record.losses + 1;
  if (record.losses >= kLossesMax) {
    return end(record, JobPhase::kFailed, now_ms,
               fmt::format("{}; given up after {} lives without progress", how, record.losses));
  }
  return end(record, JobPhase::kWaiting, now_ms, how + "; it goes on in another life");
}

bool is_of_another_life(int exit_code) {
  return exit_code == kJobLostNodes || (exit_code > kJobSignalled && exit_code <= kJobSignalledMax);
}

bool take_end(JobRecord& record, const Sighting& seen, std::int64_t now_ms) {
  const bool has_code = seen.kind == Sighting::Kind::kEnded;
  if (has_code && seen.exit_code == 0) {
    record.done = 1;
    return end(record, JobPhase::kDone, now_ms, "");
  }
  if (record.phase == JobPhase::kCancelling) {
    return end(record, JobPhase::kCancelled, now_ms, record.reason);
  }
  const std::string how = seen.text.empty() ? "it ended without a word" : seen.text;
  if (record.phase == JobPhase::kSaving) {
    if (!has_code) return lose(record, now_ms, how);
    if (record.done > record.done_before) record.losses = 0;
    if (record.losses >= kLossesMax) return end(record, JobPhase::kFailed, now_ms, record.reason);
    return end(record, JobPhase::kWaiting, now_ms, record.reason);
  }
  if (!has_code || is_of_another_life(seen.exit_code)) return lose(record, now_ms, how);
  return end(record, JobPhase::kFailed, now_ms, how);
}

}  // namespace

std::string_view to_string(JobPhase phase) {
  return kPhaseNames[static_cast<std::size_t>(phase)];
}

std::optional<JobPhase> parse_job_phase(std::string_view text) {
  const auto found = std::ranges::find(kPhaseNames, text);
  if (found == kPhaseNames.end()) return std::nullopt;
  return static_cast<JobPhase>(found - kPhaseNames.begin());
}

Order order_of(const JobRecord& record) {
  switch (record.phase) {
    case JobPhase::kStarting:
      return Order::kStart;
    case JobPhase::kSaving:
      return Order::kStop;
    case JobPhase::kCancelling:
      return Order::kKill;
    default:
      return Order::kNone;
  }
}

bool on_wish(JobRecord& record, const JobShares& wanted, std::int64_t now_ms) {
  if (record.phase == JobPhase::kWaiting) {
    if (wanted.empty()) return false;
    ++record.incarnation;
    record.done_before = record.done;
    record.placement = wanted;
    enter(record, JobPhase::kStarting, now_ms, "");
    return true;
  }
  const bool runs = record.phase == JobPhase::kStarting || record.phase == JobPhase::kRunning;
  if (!runs || record.placement == wanted || !record.has_checkpoints) return false;
  enter(record, JobPhase::kSaving, now_ms,
        wanted.empty() ? "it gives way to others" : "it goes on elsewhere or with other workers");
  return true;
}

bool on_sighting(JobRecord& record, std::int64_t incarnation, const Sighting& seen,
                 std::int64_t now_ms) {
  if (!holds_machines(record.phase) || incarnation != record.incarnation) return false;
  switch (seen.kind) {
    case Sighting::Kind::kAbsent:
      if (record.phase != JobPhase::kStarting || now_ms - record.since_ms < kStartPatienceMs) {
        return false;
      }
      // Not lost before it is certain that it cannot begin any more: that is what saving sees to.
      ++record.losses;
      enter(record, JobPhase::kSaving, now_ms, "it did not begin in time");
      return true;
    case Sighting::Kind::kQueued:
      if (record.phase != JobPhase::kStarting || now_ms - record.since_ms < kQueuePatienceMs) {
        return false;
      }
      // No loss: others have the place, and nothing of the job has failed.
      enter(record, JobPhase::kSaving, now_ms, "it waited too long in the cluster's queue");
      return true;
    case Sighting::Kind::kRunning:
      if (record.phase != JobPhase::kStarting) return false;
      enter(record, JobPhase::kRunning, now_ms, "");
      return true;
    case Sighting::Kind::kEnded:
    case Sighting::Kind::kLost:
      return take_end(record, seen, now_ms);
  }
  return false;
}

bool on_cancel(JobRecord& record, std::int64_t now_ms) {
  if (is_over(record.phase) || record.phase == JobPhase::kCancelling) return false;
  const bool is_there = holds_machines(record.phase);
  enter(record, is_there ? JobPhase::kCancelling : JobPhase::kCancelled, now_ms,
        "its user cancelled it");
  return true;
}

bool on_refusal(JobRecord& record, const std::string& reason, std::int64_t now_ms) {
  GODWIT_CHECK(record.phase == JobPhase::kWaiting && record.incarnation == 0);
  enter(record, JobPhase::kRefused, now_ms, reason);
  return true;
}

bool on_progress(JobRecord& record, double done) {
  if (!std::isfinite(done)) return false;
  const double told = std::clamp(done, 0.0, 1.0);
  if (is_over(record.phase) || told == record.done) return false;
  record.done = told;
  return true;
}

}  // namespace godwit
