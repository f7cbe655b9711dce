// net/peer_user.h: which user is at the other end of a Unix socket. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>

namespace godwit {

// Who made or accepted the connection, as the kernel noted it then. Nothing if it does not say.
std::optional<std::int64_t> peer_user(int fd);

// Whether that is this process's user, or root.
bool may_ask(int fd);

}  // namespace godwit
