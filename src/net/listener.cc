// net/listener.cc: accept(2) and what to do when the system has no descriptors left.
// Owned by the loop.
#include "net/listener.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/try.h"
#include "net/sockets.h"

namespace godwit {

Listener::Listener(EventLoop& loop, const Log& log)
    : loop_(loop), log_(log), limit_(loop.time(), std::chrono::seconds(1)) {}

Listener::~Listener() {
  if (retry_) loop_.cancel(*retry_);
  for (Door& door : doors_) {
    if (!door.address.path().empty()) ::unlink(door.address.path().c_str());
    door.watch.reset();
  }
}

Result<SocketAddress> Listener::add(const SocketAddress& address) {
  GODWIT_TRY_ASSIGN(UniqueFd socket, listen_at(address));
  GODWIT_TRY_ASSIGN(const SocketAddress bound, SocketAddress::local_of(socket.fd()));
  doors_.emplace_back(address, std::move(socket));
  return bound;
}

void Listener::start(Events events) {
  events_ = std::move(events);
  for (Door& door : doors_) {
    door.watch.emplace(
        loop_, door.socket.fd(), [this, &door] { accept_some(door); }, [] {});
    door.watch->arm_read();
  }
}

void Listener::accept_some(Door& door) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    UniqueFd socket(::accept4(door.socket.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.is_open()) {
      events_.on_accepted(std::move(socket));
      continue;
    }
    const int error = errno;
    if (error == EAGAIN || error == EWOULDBLOCK) break;
    // Of one connection that is gone already, or of a signal: the next may be fine.
    if (error == ECONNABORTED || error == EINTR || error == EPROTO) continue;
    // The connection stays in the queue and the socket stays ready: waiting for readiness would
    // spin. Other doors go on; they will meet the same error and share the timer's turn.
    log_.every(limit_, LogLevel::kWarn, "cannot accept connections at {}: {}; trying again",
               door.address.to_string(), errno_text(error));
    events_.on_failed();
    if (!retry_) {
      retry_ = loop_.call_at(loop_.now() + kRetryAfter, [this] {
        retry_.reset();
        for (Door& each : doors_) each.watch->arm_read();
      });
    }
    return;
  }
  door.watch->arm_read();
}

}  // namespace godwit
