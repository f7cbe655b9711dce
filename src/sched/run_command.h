// sched/run_command.h: what a short command of another system says. Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "launch/environment.h"

namespace godwit {

// Its output, if it exits with 0. kNotFound: there is no such command. kUnavailable: it failed;
// the message has what it said. kTimeout: it took too long and was killed; it may have happened.
// It dies with this process.
Result<std::string> run_command(const std::vector<std::string>& command,
                                const Environment& environment, Duration within,
                                const TimeSource& time);

}  // namespace godwit
