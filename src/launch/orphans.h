// launch/orphans.h: while one lives, processes of a job that lose their parent become children of
// this process and not of init, so that they can be found and reaped. Not thread-safe; one at a
// time in a process.
//
// A killed mpirun leaves its ranks. Those that have cleared their variables and left their session
// could not be told from processes of others any more, if they were not ours.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "launch/process_table.h"

namespace godwit {

class Orphans {
 public:
  // The children that this process has now stay its own business.
  Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;
  // Later orphans go to whom they went before.
  ~Orphans();

  // A child of ours for which somebody else waits.
  void know(std::int64_t pid) { known_.insert(pid); }

  // Reaps those that have ended. Returns those that have not.
  std::vector<ProcessEntry> take();

 private:
  std::set<std::int64_t> known_;
  int was_subreaper_ = 0;
};

}  // namespace godwit
