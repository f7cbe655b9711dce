// launch/child_process.h: one command in a process group of its own, its output in two pipes.
// Not thread-safe; the thread that spawns a child must outlive it, or the child is killed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "godwit/result.h"
#include "launch/environment.h"

namespace godwit {

// How a process ended: by itself with a code, or by a signal.
struct ExitStatus {
  int code = 0;
  int signal = 0;  // 0: it exited by itself

  bool is_ok() const { return code == 0 && signal == 0; }
  bool operator==(const ExitStatus&) const = default;
};

// "exited with code 3", "was killed by signal 9 (Killed)".
std::string to_string(const ExitStatus& status);

// The file that a shell would run for `command`: itself if it has a slash, else the first
// executable file of that name in PATH. kNotFound, naming command and PATH, if there is none.
Result<std::string> find_command(const std::string& command, const Environment& environment);

// Where a child's output goes: into pipes that its parent reads, or where the parent's own goes.
enum class ChildOutput { kPipes, kInherited };

// What a child leads: a process group, or a session too, in which it has no terminal.
enum class ChildLeads { kGroup, kSession };

class ChildProcess {
 public:
  // Starts `path` with `arguments` (the first is its name) and exactly `environment`. Its input is
  // /dev/null; it gets the signal mask and dispositions of a fresh process; it is killed if this
  // thread dies. kUnavailable if the system has no room for a process, kInvalidArgument if it
  // cannot be executed: nothing is left then.
  static Result<ChildProcess> spawn(const std::string& path,
                                    const std::vector<std::string>& arguments,
                                    const Environment& environment,
                                    ChildOutput output = ChildOutput::kPipes,
                                    ChildLeads leads = ChildLeads::kGroup);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Kills what is left of the group.
  ~ChildProcess();

  // The process and its group. The number is not used again before destruction.
  pid_t pid() const { return pid_; }
  // Readable once the process has ended.
  int pid_fd() const { return pid_fd_.fd(); }
  // Read ends, non-blocking; not open if its output is inherited.
  UniqueFd& out() { return out_; }
  UniqueFd& err() { return err_; }

  // Nothing while it runs. The process stays a zombie, so that its group keeps its number.
  std::optional<ExitStatus> status();

  // To every process of the group; one that is stopped is woken to take it.
  void signal_group(int signal) const;

 private:
  ChildProcess(pid_t pid, UniqueFd out, UniqueFd err, UniqueFd pid_fd);

  pid_t pid_ = -1;  // -1: moved away
  UniqueFd out_;
  UniqueFd err_;
  UniqueFd pid_fd_;
  std::optional<ExitStatus> status_;
};

}  // namespace godwit
