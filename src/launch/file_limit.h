// launch/file_limit.h: lets this process open enough files while it lives; its children inherit the
// higher limit. Not thread-safe: the limit is the process's.
#pragma once

#include <sys/resource.h>

#include <cstdint>

#include "base/errors.h"
#include "godwit/result.h"

namespace godwit {

class FileLimit {
 public:
  FileLimit() { getrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

  // Room for so many supervised processes. kInvalidArgument if the system allows less.
  Result<> raise_for(std::int64_t processes) {
    const auto needed = static_cast<rlim_t>(kFilesPerProcess * processes + kFilesElse);
    if (before_.rlim_cur >= needed) return {};
    rlimit raised = before_;
    raised.rlim_cur = needed;
    if (needed <= raised.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0) return {};
    return invalid_argument("{} nodes need {} open files, the limit is {}: see `ulimit -Hn`",
                            processes, needed, before_.rlim_max);
  }

 private:
  // Two pipes, one pidfd and a log for each; some for the process itself.
  static constexpr std::int64_t kFilesPerProcess = 4;
  static constexpr std::int64_t kFilesElse = 64;

  rlimit before_{};
};

}  // namespace godwit
