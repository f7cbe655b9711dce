// sched/ask_line.h: one line to a LineServer, of whatever length and kind of socket, and its
// answer. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "base/time_source.h"
#include "godwit/result.h"
#include "net/socket_address.h"

namespace godwit {

// Without the end of the line. kUnavailable if nobody listens there, it belongs to another user (of
// a Unix socket), or it went without an answer; kTimeout if there was none in time.
Result<std::string> ask_line(const SocketAddress& address, std::string_view question,
                             Duration within);

}  // namespace godwit
