// net/handshake.cc: moves the bytes of a hello.
// Owned by the loop. What a stranger sends is taken in small pieces and nothing else is allocated.
#include "net/handshake.h"

#include <array>
#include <cerrno>
#include <utility>

#include "base/errors.h"
#include "net/sockets.h"

namespace godwit {

Handshake::Handshake(EventLoop& loop, UniqueFd socket, Hello hello, Time deadline, Done done)
    : loop_(loop), socket_(std::move(socket)), hello_(std::move(hello)), done_(std::move(done)) {
  timer_ = loop_.call_at(deadline,
                         [this] { finish(timeout("the other side did not say hello in time")); });
  watch_.emplace(
      loop_, socket_.fd(), [this] { on_readable(); }, [this] { on_writable(); });
  // A socket is writable when its connection is made, and at once if it was accepted. One that
  // cannot be watched ends at the deadline.
  watch_->arm_write();
}

Handshake::~Handshake() {
  loop_.cancel(timer_);
}

void Handshake::on_writable() {
  if (const int error = connect_error(socket_.fd()); error != 0) {
    finish(unavailable("{}", errno_text(error)));
    return;
  }
  if (!send_output()) {
    finish(unavailable("the connection was lost during the hello"));
    return;
  }
  watch_->arm_read();
}

void Handshake::on_readable() {
  std::array<std::byte, Hello::kMessageBytesMax> bytes;
  const iovec part{bytes.data(), bytes.size()};
  const long count = receive_some(socket_.fd(), {&part, 1});
  if (count == -EAGAIN) {
    watch_->arm_read();
    return;
  }
  if (count <= 0) {
    finish(unavailable("{}", count == 0 ? "the other side closed the connection during the hello"
                                        : errno_text(static_cast<int>(-count))));
    return;
  }
  const auto arrived = std::span(bytes).first(static_cast<std::size_t>(count));
  const std::size_t taken = hello_.receive(arrived);
  const bool sent = send_output();  // a refusal too
  if (hello_.error()) {
    finish(*hello_.error());
  } else if (!sent) {
    finish(unavailable("the connection was lost during the hello"));
  } else if (hello_.is_over()) {
    const auto rest = arrived.subspan(taken);
    watch_.reset();
    finish(Greeted{std::move(socket_), hello_.peer(), hello_.peer_incarnation(),
                   std::vector<std::byte>(rest.begin(), rest.end())});
  } else {
    watch_->arm_read();
  }
}

bool Handshake::send_output() {
  return send_whole(socket_.fd(), hello_.take_output());
}

void Handshake::finish(Result<Greeted> result) {
  watch_.reset();
  socket_.reset();
  loop_.cancel(timer_);
  const Done done = std::move(done_);
  done(std::move(result));  // may destroy this
}

}  // namespace godwit
