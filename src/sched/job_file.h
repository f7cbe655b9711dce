// sched/job_file.h: a cluster and its jobs written by hand, in TOML. docs/scheduling.md shows one.
#pragma once

#include <string>
#include <string_view>

#include "godwit/result.h"
#include "sched/instance.h"

namespace godwit {

// Tables [[machine]] and [[job]], and the keys slots and slot_seconds. `path` is only for messages.
// kInvalidArgument, with path:line: unknown keys (and the nearest known one), numbers that are
// missing, negative, with a fraction where they count something, or out of range (a sample that
// takes hours or a job that takes years is one in other units), names given twice, resources that
// no machine has, jobs that no machine can hold or that come after the horizon.
Result<Instance> parse_job_file(std::string_view text, const std::string& path);

}  // namespace godwit
