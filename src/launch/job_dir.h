// launch/job_dir.h: directories for a job's sockets that no other user can enter, and secrets.
// Functions are thread-safe; a JobDir is owned by one thread.
#pragma once

#include <cstddef>
#include <string>

#include "godwit/result.h"

namespace godwit {

// `tmpdir` (the value of TMPDIR, may be empty) without a slash at its end; "/tmp" if it is empty,
// relative or so long that the path of a socket below it would not fit.
std::string temporary_dir(std::string tmpdir);

// The directory in which the nodes of a job meet. The destructor of the one that made it removes
// it, unless there is something in it.
class SocketDir {
 public:
  // Makes `dir` with mode 0700, or finds that it is so already; all nodes of a job on a host may
  // call it at once. kInvalidArgument if something else has the name: a link, a directory of
  // another user or one that others may enter. kUnavailable if the system refuses.
  static Result<SocketDir> make(const std::string& dir);

  SocketDir(SocketDir&& other) noexcept;
  SocketDir& operator=(SocketDir&&) = delete;
  SocketDir(const SocketDir&) = delete;
  SocketDir& operator=(const SocketDir&) = delete;
  ~SocketDir();

 private:
  explicit SocketDir(std::string made) : made_(std::move(made)) {}

  std::string made_;  // empty: it was there, or this was moved away
};

// Random bytes of the system as 2 * bytes hexadecimal digits. REQUIRES: bytes <= 256.
std::string random_hex(std::size_t bytes);

// A new directory of mode 0700; removed with what is in it by the destructor.
class JobDir {
 public:
  static Result<JobDir> make(const std::string& parent);

  JobDir(JobDir&& other) noexcept;
  JobDir& operator=(JobDir&&) = delete;
  JobDir(const JobDir&) = delete;
  JobDir& operator=(const JobDir&) = delete;
  ~JobDir();

  const std::string& path() const { return path_; }

 private:
  explicit JobDir(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved away
};

}  // namespace godwit
