// launch/warden.h: a process that outlives a killed launcher by an instant, to kill the process
// groups that it started and to remove the directories of the job. Not thread-safe.
//
// PR_SET_PDEATHSIG ends a launcher's children but not theirs: a node started by a shell script
// would stay. The warden reads a pipe whose other end only the launcher has; the end of file is the
// launcher's end, however it came.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/time_source.h"
#include "base/unique_fd.h"
#include "godwit/result.h"

namespace godwit {

struct WardenOrders {
  std::vector<std::string> dirs;  // removed with all that is in them
  // All processes of this GODWIT_JOB are killed, and all of a session that a watched process leads;
  // empty: none but those of the watched groups.
  std::string job;
  // How long processes of the job may take to end by themselves before.
  Duration patience{};
};

class Warden {
 public:
  // What `orders` say happens if this process dies.
  static Result<Warden> start(const WardenOrders& orders);

  Warden(Warden&& other) noexcept;
  Warden& operator=(Warden&&) = delete;
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;
  // Ends the warden, which then does what its orders say and kills the groups that it still
  // watches over.
  ~Warden();

  // Watches over a process group until forget(), which must come before the group's number can be
  // used again.
  void watch(pid_t group);
  void forget(pid_t group);

 private:
  Warden(pid_t pid, UniqueFd pipe) : pid_(pid), pipe_(std::move(pipe)) {}
  void tell(pid_t number);

  pid_t pid_ = -1;  // -1: moved away
  UniqueFd pipe_;
};

}  // namespace godwit
