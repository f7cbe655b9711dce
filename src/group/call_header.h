// group/call_header.h: what a rank is about to do, in the first bytes it sends to another rank in
// each call, so that ranks which do different things find out. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "godwit/result.h"

namespace godwit {

enum class CallVerb : std::uint8_t {
  kAllreduce,
  kReduceScatter,
  kAllgather,
  kBroadcast,
  kBarrier,
  kMeasure,  // of costs, when a group is opened
};

const char* to_string(CallVerb verb);

// As it is sent: ranks of one job have one byte order.
struct CallHeader {
  std::uint32_t magic = 0x67727031;
  CallVerb verb = CallVerb::kBarrier;
  std::uint8_t value_bytes = 0;
  std::uint8_t algorithm = 0;
  std::uint8_t is_mean = 0;
  std::uint64_t sequence = 0;
  std::uint64_t length = 0;  // of the flattened list
  std::uint32_t tensors = 0;
  std::int32_t root = 0;

  bool operator==(const CallHeader&) const = default;
};
static_assert(sizeof(CallHeader) == 32, "no padding: headers are compared as they came");

// "allreduce #5 of 3 tensors with 1000 elements of 4 bytes".
std::string describe(const CallHeader& header);

// kAborted, with both calls in words, if rank `peer` is at another call than `ours`.
Result<> compare_calls(const CallHeader& ours, const CallHeader& theirs, int peer);

}  // namespace godwit
