// launch/launch_outcome.h: how a job ended, and which of its nodes is to blame.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch/child_process.h"

namespace godwit {

// The exit codes that a job gives its nodes a meaning by.
inline constexpr int kExitLostNodes = 3;
inline constexpr int kExitInterrupted = 130;

// The end of one node.
struct NodeEnd {
  std::int64_t node = 0;
  ExitStatus status;
  bool was_told = false;  // it ended as a signal that we had sent makes a process end
};

struct NodeFailure {
  std::int64_t node = 0;  // or the group
  ExitStatus status;
  std::vector<std::string> last_lines;
  std::string log_path;  // empty: there is no log
};

struct LaunchOutcome {
  int exit_code = 0;
  bool was_interrupted = false;
  std::optional<NodeFailure> failure;
};

// A group that ended: well, or failed once too often.
struct GroupEnd {
  std::int64_t group = 0;
  std::int64_t restarts = 0;
  ExitStatus status;
};

struct GroupLaunchOutcome {
  int exit_code = 0;
  bool was_interrupted = false;
  std::optional<NodeFailure> server_failure;  // it ended the job
  std::vector<GroupEnd> finished;
  std::vector<GroupEnd> given_up;
  std::optional<NodeFailure> group_failure;  // the last lines of the first group that was given up
};

// Sorts ends that were seen at the same moment: first who was killed, then who failed by itself,
// then who says that it lost its peers, then who ended well.
void sort_simultaneous(std::span<NodeEnd> ends);

// Which of `ends`, in the order of time, made the job fail: the first that failed and was not told
// to end; but a node that lost its peers is blamed only if no other failure explains it, because it
// may be seen before the one that it lost. Nothing if nobody failed.
std::optional<std::size_t> first_cause(std::span<const NodeEnd> ends);

// Which of `ends` is to tell why the job failed: `cause`, which is one of them, if it has words;
// else the first that exited with the same code, told to or not, and has some; else `cause`. Of
// nodes that agreed on an error one says it, and it need not be the one that was seen to end first.
// Who was killed shares no reason with others that were.
std::size_t teller_of(std::span<const NodeEnd> ends, std::size_t cause,
                      const std::function<bool(const NodeEnd&)>& has_words);

// 0; 130 if interrupted; 3 if the cause was killed by a signal; else the exit code of the cause.
int exit_code_of(const std::optional<ExitStatus>& cause, bool was_interrupted);

// Of a job with groups: 0 if the table nodes did not fail and at least one group finished; those
// that were given up cost time only.
int exit_code_of(const GroupLaunchOutcome& outcome);

// For people, several lines; empty if the job ended well. `nodes` is how many there were.
std::string describe(const LaunchOutcome& outcome, std::int64_t nodes);
// Likewise; also not empty if the job ended well without some of its groups.
std::string describe(const GroupLaunchOutcome& outcome);

}  // namespace godwit
