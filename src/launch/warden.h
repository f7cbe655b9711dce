// launch/warden.h: a process that outlives a killed launcher by an instant, to kill the process
// groups that it started and to remove the directory of its sockets. Not thread-safe.
//
// PR_SET_PDEATHSIG ends a launcher's children but not theirs: a node started by a shell script
// would stay. The warden reads a pipe whose other end only the launcher has; the end of file is the
// launcher's end, however it came.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/unique_fd.h"
#include "godwit/result.h"

namespace godwit {

class Warden {
 public:
  // `dir` is removed with all that is in it if this process dies; empty: nothing is removed.
  static Result<Warden> start(const std::string& dir);

  Warden(Warden&& other) noexcept;
  Warden& operator=(Warden&&) = delete;
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;
  // Ends the warden, which then kills and removes what it still watches over.
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
