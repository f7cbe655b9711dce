// group/call_header.cc: calls in words.
#include "group/call_header.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace godwit {

const char* to_string(CallVerb verb) {
  switch (verb) {
    case CallVerb::kAllreduce:
      return "allreduce";
    case CallVerb::kReduceScatter:
      return "reduce_scatter";
    case CallVerb::kAllgather:
      return "allgather";
    case CallVerb::kBroadcast:
      return "broadcast";
    case CallVerb::kBarrier:
      return "barrier";
    case CallVerb::kMeasure:
      return "measuring of costs";
  }
  return "unknown call";
}

std::string describe(const CallHeader& header) {
  std::string text = fmt::format("{} #{}", to_string(header.verb), header.sequence);
  if (header.verb == CallVerb::kBarrier) return text;
  text += fmt::format(" of {} tensors with {} elements of {} bytes", header.tensors, header.length,
                      header.value_bytes);
  if (header.verb == CallVerb::kBroadcast) text += fmt::format(" from rank {}", header.root);
  if (header.is_mean != 0) text += ", mean";
  return text;
}

Result<> compare_calls(const CallHeader& ours, const CallHeader& theirs, int peer) {
  if (ours == theirs) return {};
  if (ours.magic != theirs.magic) {
    return aborted("rank {} is not at {}, and what it sent is no call", peer, describe(ours));
  }
  const std::string our_text = describe(ours);
  const std::string their_text = describe(theirs);
  if (our_text != their_text) {
    return aborted("ranks make different calls: this one is at {}, rank {} at {}", our_text, peer,
                   their_text);
  }
  return aborted("ranks chose different algorithms ({} here, {} on rank {}) for {}", ours.algorithm,
                 theirs.algorithm, peer, our_text);
}

}  // namespace godwit
