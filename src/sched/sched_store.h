// sched/sched_store.h: what must survive the daemon, in a SQLite file. Owned by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "sched/cluster.h"
#include "sched/live_job.h"

struct sqlite3;
struct sqlite3_stmt;

namespace godwit {

// A line of a job's history.
struct JobEvent {
  std::int64_t at_ms = 0;
  std::string text;
};

// A write is on the disk when the call returns: WAL with synchronous=FULL. All errors name the
// file; kCorruption if it is not ours.
class SchedStore {
 public:
  // Makes the file if there is none; `now_ms` is then the beginning of slot 0. `cluster` tells
  // machines' numbers and must outlive it.
  static Result<SchedStore> open(const std::string& path, const Cluster& cluster,
                                 std::int64_t now_ms);

  SchedStore(SchedStore&&) noexcept;
  SchedStore& operator=(SchedStore&&) noexcept;
  ~SchedStore();

  std::int64_t begin_ms() const { return begin_ms_; }
  // A random name of this store, for names of jobs elsewhere.
  const std::string& name() const { return name_; }

  // kInvalidArgument if a job is on a machine that the cluster does not have.
  Result<std::vector<JobRecord>> jobs();
  Result<std::set<std::string>> drained();
  Result<std::vector<JobEvent>> events(std::int64_t job);

  // All records in one transaction, each with a line of history if its phase is another one.
  Result<> write(const std::vector<JobRecord>& records, std::int64_t now_ms);
  Result<> set_drained(const std::string& machine, bool drained);

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };

  explicit SchedStore(const Cluster& cluster) : cluster_(&cluster) {}
  Result<> run(const char* sql);
  Result<> make_tables(std::int64_t now_ms);
  Result<std::string> meta(const char* key);
  Error failure(const char* what) const;

  const Cluster* cluster_;
  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
  std::int64_t begin_ms_ = 0;
  std::string name_;
};

// "n1:2,n3:1", workers by machine; and back. kInvalidArgument if there is no such machine.
std::string placement_text(const JobShares& placement, const Cluster& cluster);
Result<JobShares> parse_placement(const std::string& text, const Cluster& cluster);

}  // namespace godwit
