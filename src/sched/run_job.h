// sched/run_job.h: the runner of one life of a job: begins it if nobody has, watches its processes
// and its directory, and writes down how it ended.
#pragma once

#include <string>

#include "base/disk.h"
#include "base/time_source.h"
#include "godwit/result.h"
#include "launch/environment.h"

namespace godwit {

// Returns when no process of the life is left: its exit code. kAborted if somebody else has begun
// the life, or it was stopped before; errors before the beginning end the life too, with code 2, or
// kJobLostNodes if it is a matter of room that another time or place may have.
// The processes' output goes to ours. REQUIRES: a process without threads.
Result<int> run_job(const std::string& life_dir, const Environment& environment, Disk& disk,
                    const TimeSource& time);

}  // namespace godwit
