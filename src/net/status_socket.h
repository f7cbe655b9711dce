// net/status_socket.h: the names of the sockets at which nodes answer `godwit status`, and which
// of them there are on this machine. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/ids.h"
#include "net/socket_address.h"

namespace godwit {

// In the abstract namespace: there is no file to protect, to find or to clean up after a crash.
struct StatusSocket {
  std::int64_t user = 0;
  std::int64_t pid = 0;
  NodeId node;
  std::string job;

  // Characters of the job that a list of sockets could not show are replaced, and a long name is
  // cut.
  std::string name() const;
  SocketAddress address() const;

  friend bool operator==(const StatusSocket&, const StatusSocket&) = default;
};

// Those that somebody listens at, from the text of /proc/net/unix; sorted by user, job and node.
std::vector<StatusSocket> parse_status_sockets(std::string_view table);
// kUnavailable if that file cannot be read.
Result<std::vector<StatusSocket>> list_status_sockets();

}  // namespace godwit
