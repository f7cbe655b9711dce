// launch/launch_outcome.cc: blame and words for it.
#include "launch/launch_outcome.h"

#include <fmt/format.h>

#include <algorithm>

namespace godwit {
namespace {

bool says_peers_are_lost(const ExitStatus& status) {
  return status.signal == 0 && status.code == kExitLostNodes;
}

int blame_of(const NodeEnd& end) {
  if (end.status.is_ok()) return 3;
  if (says_peers_are_lost(end.status)) return 2;
  return end.status.signal != 0 ? 0 : 1;
}

// The last lines of a failed node or group, and where the others are.
std::string describe_lines(const NodeFailure& failure, std::string_view what) {
  std::string text;
  if (failure.last_lines.empty()) {
    text += fmt::format("{} {} wrote nothing\n", what, failure.node);
  } else {
    text +=
        fmt::format("the last {} lines of {} {}:\n", failure.last_lines.size(), what, failure.node);
    for (const std::string& line : failure.last_lines) text += "  " + line + "\n";
  }
  if (!failure.log_path.empty()) text += fmt::format("all it wrote: {}\n", failure.log_path);
  return text;
}

}  // namespace

void sort_simultaneous(std::span<NodeEnd> ends) {
  std::stable_sort(ends.begin(), ends.end(),
                   [](const NodeEnd& a, const NodeEnd& b) { return blame_of(a) < blame_of(b); });
}

std::optional<std::size_t> first_cause(std::span<const NodeEnd> ends) {
  std::optional<std::size_t> lost_peers;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].status.is_ok() || ends[i].was_told) continue;
    if (!says_peers_are_lost(ends[i].status)) return i;
    if (!lost_peers) lost_peers = i;
  }
  return lost_peers;
}

std::size_t teller_of(std::span<const NodeEnd> ends, std::size_t cause,
                      const std::function<bool(const NodeEnd&)>& has_words) {
  if (has_words(ends[cause]) || ends[cause].status.signal != 0) return cause;
  const auto found = std::ranges::find_if(
      ends, [&](const NodeEnd& end) { return end.status == ends[cause].status && has_words(end); });
  return found == ends.end() ? cause : static_cast<std::size_t>(found - ends.begin());
}

int exit_code_of(const std::optional<ExitStatus>& cause, bool was_interrupted) {
  if (was_interrupted) return kExitInterrupted;
  if (!cause) return 0;
  return cause->signal != 0 ? kExitLostNodes : cause->code;
}

int exit_code_of(const GroupLaunchOutcome& outcome) {
  std::optional<ExitStatus> cause;
  if (outcome.server_failure) {
    cause = outcome.server_failure->status;
  } else if (outcome.finished.empty() && !outcome.given_up.empty()) {
    cause = outcome.given_up.front().status;
  }
  return exit_code_of(cause, outcome.was_interrupted);
}

std::string describe(const LaunchOutcome& outcome, std::int64_t nodes) {
  if (outcome.was_interrupted) return fmt::format("interrupted; all {} nodes have ended\n", nodes);
  if (!outcome.failure) return "";
  const NodeFailure& failure = *outcome.failure;
  return fmt::format("node {} {}{}\n", failure.node, to_string(failure.status),
                     nodes > 1 ? "; the other nodes were ended" : "") +
         describe_lines(failure, "node");
}

std::string describe(const GroupLaunchOutcome& outcome) {
  if (outcome.was_interrupted) return "interrupted; all nodes and groups have ended\n";
  if (const auto& failure = outcome.server_failure) {
    return fmt::format("table node {} {}; the job was ended\n", failure->node,
                       to_string(failure->status)) +
           describe_lines(*failure, "node");
  }
  if (outcome.given_up.empty()) return "";
  std::string text;
  for (const GroupEnd& group : outcome.given_up) {
    text += fmt::format("{}group {} (it {})", text.empty() ? "given up: " : ", ", group.group,
                        to_string(group.status));
  }
  text += outcome.finished.empty()
              ? "; no group finished\n"
              : fmt::format("; {} of {} groups finished\n", outcome.finished.size(),
                            outcome.finished.size() + outcome.given_up.size());
  if (outcome.group_failure) text += describe_lines(*outcome.group_failure, "group");
  return text;
}

}  // namespace godwit
