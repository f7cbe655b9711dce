// bench/run_program.h: another program, run to its end or to a deadline. Not thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/signal_intake.h"

namespace godwit {

struct ProgramRun {
  std::string path;
  std::vector<std::string> arguments;  // without the name
  std::chrono::seconds deadline{1800};
};

// The end of what it wrote, to output and errors, 64 KiB at most. Whatever comes back, no process
// of it is left. kTimeout after the deadline; kAborted once `signals` has one, which stays there;
// kUnavailable, with its last line, if it does not end well.
Result<std::string> run_program(const ProgramRun& run, const Environment& environment,
                                const SignalIntake& signals);

}  // namespace godwit
