// sched/service.h: the surroundings of a running scheduler: its directory, its token, the socket at
// which it answers, its turns; and how others ask it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/disk.h"
#include "base/log.h"
#include "godwit/result.h"
#include "launch/environment.h"

namespace godwit {

struct ServiceOptions {
  std::string cluster_file;
  std::string state;              // directory; made if need be
  std::string backend = "local";  // or "slurm"
  std::string policy = "godwit";
  std::string host = "localhost";  // only with a port
  int port = 0;                    // 0: a Unix socket
  std::string program;             // godwit itself, by its path
  Environment environment;         // of jobs
};

// Until `stop` is set or somebody asks for the end; jobs go on by themselves. kInvalidArgument:
// files or options are wrong, or another process serves this state. kCorruption: the state is not
// as a scheduler leaves it. REQUIRES: `wall_ms` gives milliseconds since 1970.
Result<> serve(const ServiceOptions& options, Disk& disk, const Log& log,
               const std::function<std::int64_t()>& wall_ms, const std::atomic<bool>& stop);

// The answer to a question (see control.h) without its token, which is read from `state`.
// kNotFound if nothing serves there; kUnavailable or kTimeout if it does not answer.
Result<std::string> ask_service(const std::string& state, const std::string& question_json,
                                Disk& disk);

// kInvalidArgument, with the reason, unless it is loopback.
Result<> check_host(const std::string& host);

}  // namespace godwit
