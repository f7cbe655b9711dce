// sched/sched_daemon.h: a scheduler that runs: looks at its jobs, plans, writes, acts. Owned by one
// thread, that of its loop; times are given.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/log.h"
#include "godwit/result.h"
#include "sched/backend.h"
#include "sched/job_book.h"
#include "sched/live_file.h"
#include "sched/live_planner.h"
#include "sched/sched_store.h"

namespace godwit {

// Jobs that are not over; each is planned for with every slot.
inline constexpr std::size_t kActiveJobsMax = 10'000;

struct SchedDaemonOptions {
  std::string state;    // directory, by its whole path
  std::string program;  // what "godwit" at the beginning of a command means
  std::string policy = "godwit";
  std::size_t active_jobs_max = kActiveJobsMax;
};

class SchedDaemon {
 public:
  // Reads what a daemon before has left. REQUIRES: `cluster`, `backend`, `disk` and `log` outlive
  // it.
  static Result<std::unique_ptr<SchedDaemon>> make(const SchedDaemonOptions& options,
                                                   const LiveCluster& cluster, Backend& backend,
                                                   Disk& disk, const Log& log, std::int64_t now_ms);

  // Looks at all, plans if something has changed or a slot has begun, and carries out what is
  // written. An error is of the store, without which nothing may be done; what goes wrong outside
  // is logged and tried again.
  Result<> turn(std::int64_t now_ms);

  // A job's file as a user wrote it; the job's number. kInvalidArgument: it is refused, and why.
  // kUnavailable: there are too many that are not over.
  Result<std::int64_t> submit(const std::string& file, const std::string& path,
                              const std::string& dir, std::int64_t now_ms);
  // kNotFound if there is no such job or machine, with the nearest; kInvalidArgument if the job is
  // over.
  Result<> cancel(const std::string& job, std::int64_t now_ms);
  Result<> set_drained(const std::string& machine, bool drained, std::int64_t now_ms);
  Result<std::string> explain(const std::string& job, std::int64_t now_ms);

  const JobBook& book() const { return book_; }
  const LivePlanner& planner() const { return planner_; }
  const LiveCluster& cluster() const { return cluster_; }
  // Why a machine takes no jobs; empty if it does.
  std::string away(MachineIndex machine) const;
  double slots_at(std::int64_t now_ms) const;
  std::string run_dir(std::int64_t job) const;

 private:
  SchedDaemon(const SchedDaemonOptions& options, const LiveCluster& cluster, Backend& backend,
              Disk& disk, const Log& log, SchedStore store, LivePlanner planner);
  Result<> restore();
  Result<> check_room() const;
  Result<const LiveJob*> find_job(const std::string& job) const;
  LifeId life_of(const JobRecord& record) const;
  LifeOrder order_for(const LiveJob& job) const;
  void look(std::int64_t now_ms);
  void look_at_machines();
  void read_progress_of_all();
  void plan(std::int64_t now_ms);
  void give_up(const LiveJob& job, const Error& why, std::int64_t now_ms);
  Result<> write(std::int64_t now_ms);
  void forget(std::int64_t job);
  void act(std::int64_t now_ms);
  Result<> carry_out(const LiveJob& job, std::int64_t now_ms);
  std::vector<char> machines_up() const;

  const SchedDaemonOptions options_;
  const LiveCluster& cluster_;
  Backend& backend_;
  Disk& disk_;
  const Log& log_;
  SchedStore store_;
  LivePlanner planner_;
  JobBook book_;
  std::map<std::int64_t, std::vector<std::string>> commands_;  // of jobs that are not over
  std::set<std::string> drained_;
  std::vector<char> backend_up_;
  bool is_changed_ = true;            // something to plan for
  std::optional<Error> store_error_;  // from then on nothing is done
  std::int64_t planned_slot_ = -1;
  std::int64_t progress_ms_ = 0;  // when it was read last
  // When a job's order was carried out last; of jobs that are not over.
  std::map<std::int64_t, std::int64_t> ordered_ms_;
};

}  // namespace godwit
