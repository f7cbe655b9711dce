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

int exit_code_of(const std::optional<ExitStatus>& cause, bool was_interrupted) {
  if (was_interrupted) return kExitInterrupted;
  if (!cause) return 0;
  return cause->signal != 0 ? kExitLostNodes : cause->code;
}

std::string describe(const LaunchOutcome& outcome, std::int64_t nodes) {
  if (outcome.was_interrupted) return fmt::format("interrupted; all {} nodes have ended\n", nodes);
  if (!outcome.failure) return "";
  const NodeFailure& failure = *outcome.failure;
  std::string text = fmt::format("node {} {}", failure.node, to_string(failure.status));
  if (nodes > 1) text += "; the other nodes were ended";
  text += "\n";
  if (failure.last_lines.empty()) {
    text += fmt::format("node {} wrote nothing\n", failure.node);
  } else {
    text += fmt::format("the last {} lines of node {}:\n", failure.last_lines.size(), failure.node);
    for (const std::string& line : failure.last_lines) text += "  " + line + "\n";
  }
  if (!failure.log_path.empty()) text += fmt::format("all it wrote: {}\n", failure.log_path);
  return text;
}

}  // namespace godwit
