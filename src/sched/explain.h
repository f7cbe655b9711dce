// sched/explain.h: why a job waits, runs or was refused, in words, and what would change that.
// Pure; thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "sched/job_book.h"
#include "sched/live_file.h"
#include "sched/live_planner.h"
#include "sched/sched_store.h"

namespace godwit {

struct Explained {
  const LiveJob& job;
  const JobBook& book;
  const LivePlanner& planner;
  const LiveCluster& cluster;
  const std::vector<std::string>& away;  // by machine: why it takes no jobs; empty if it does
  const std::vector<JobEvent>& events;   // of the job
  std::int64_t begin_ms = 0;             // of slot 0
  double now = 0;                        // in slots
};

// Several lines.
std::string explain_job(const Explained& about);

// Why a policy that refuses jobs has refused this one: its best schedule, what that costs at the
// prices of the last plan and what it is worth; and with which priority it would have been taken.
std::string refusal_words(const Job& job, const LivePlanner& planner);

// The priority above which a job goes before the last of those that hold machines, as `godwit`
// ranks them; nothing if it is ahead of one already, or there is none, or no priority would do.
std::optional<double> priority_to_go_first(std::int64_t id, const JobBook& book,
                                           const LivePlanner& planner);

}  // namespace godwit
