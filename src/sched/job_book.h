// sched/job_book.h: all jobs of a running scheduler: takes what happens, changes records, says
// which must be written and what is to be done then. Pure: no I/O, times are given. Owned by one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sched/cluster.h"
#include "sched/job_life.h"
#include "sched/live_job.h"

namespace godwit {

struct LiveJob {
  JobRecord record;
  Job model;  // with what a server takes counted with its workers: see live_file.h
};

// Where the policy wants jobs to be; those that are not named run nowhere.
using Wishes = std::map<std::int64_t, JobShares>;

class JobBook {
 public:
  // REQUIRES: `cluster` outlives it.
  explicit JobBook(const Cluster& cluster) : cluster_(&cluster) {}

  // A job of before a restart. REQUIRES: no job has its id.
  void restore(LiveJob job);
  // A new one, which then waits; its id.
  std::int64_t add(LiveJob job, std::int64_t now_ms);

  // Null if there is none.
  const LiveJob* find(std::int64_t id) const;
  // By number or name; of several of one name the newest.
  const LiveJob* find(std::string_view name_or_id) const;
  const std::map<std::int64_t, LiveJob>& jobs() const { return jobs_; }

  // Carried out as far as possible: those that are where they should not be are told to save; who
  // waits is started if there is room beside all that is really there, now. Jobs that come first
  // in `order` are started first. A machine that is not up gets nothing new.
  void take_wishes(const Wishes& wishes, const std::vector<std::int64_t>& order,
                   const std::vector<char>& is_up, std::int64_t now_ms);
  void see(std::int64_t id, std::int64_t incarnation, const Sighting& sighting,
           std::int64_t now_ms);
  void set_progress(std::int64_t id, double done);
  // False if it is over already. REQUIRES, of both: there is such a job.
  bool cancel(std::int64_t id, std::int64_t now_ms);
  void refuse(std::int64_t id, const std::string& reason, std::int64_t now_ms);

  // The jobs whose records have changed since the last time: to be written before their orders are
  // carried out.
  std::vector<std::int64_t> take_changed();
  // Those with an order, or that are being watched.
  std::vector<std::int64_t> present() const;
  // By machine: what is not held by any job.
  std::vector<Resources> room() const;

 private:
  void note(std::int64_t id, bool has_changed) {
    if (has_changed) changed_.insert(id);
  }

  const Cluster* cluster_;
  std::map<std::int64_t, LiveJob> jobs_;
  std::set<std::int64_t> changed_;
};

}  // namespace godwit
