// cli/command_line.h: from argv to an exit code.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace godwit {

// Exit codes all verbs share.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

// Runs `godwit arguments...`, without the program's name. Results go to `out`, errors to `err`.
int run_command_line(std::vector<std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace godwit
