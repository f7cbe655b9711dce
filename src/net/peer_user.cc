// net/peer_user.cc: SO_PEERCRED.
// Thread-safe.
#include "net/peer_user.h"

#include <sys/socket.h>
#include <unistd.h>

namespace godwit {

std::optional<std::int64_t> peer_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  if (peer.uid == static_cast<uid_t>(-1)) return std::nullopt;
  return static_cast<std::int64_t>(peer.uid);
}

bool may_ask(int fd) {
  const auto user = peer_user(fd);
  return user && (*user == 0 || *user == static_cast<std::int64_t>(geteuid()));
}

}  // namespace godwit
