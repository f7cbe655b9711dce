// net/ask_lines.h: asks several LineServers one question at the same time, and waits for what they
// say. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"
#include "net/socket_address.h"

namespace godwit {

struct LineHost {
  SocketAddress address;
  std::int64_t user = 0;  // who must be listening there
};

// The answers, without the ends of their lines, in the order of the hosts. kUnavailable if nobody
// listens there, or it went before its answer was here; kTimeout if there was none in time;
// kCorruption if another user listens there, or the answer is absurdly long.
std::vector<Result<std::string>> ask_lines(std::span<const LineHost> hosts,
                                           std::string_view question, Duration within);

}  // namespace godwit
