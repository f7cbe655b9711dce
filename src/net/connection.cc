// net/connection.cc: reading and writing in turns, so that no peer starves the others.
// Owned by the loop.
#include "net/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "net/sockets.h"

namespace godwit {

Connection::Connection(EventLoop& loop, UniqueFd socket, Outbox& outbox, Events events)
    : loop_(loop), socket_(std::move(socket)), outbox_(outbox), events_(std::move(events)) {
  tune_for_frames(socket_.fd());
  outbox_.open(socket_.fd());
}

Connection::~Connection() {
  close();
}

void Connection::start(std::vector<std::byte> early) {
  if (is_closed_) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  watch_.emplace(
      loop_, socket_.fd(), [this] { read_some(); }, [this] { write_some(); });
  watch_->share_reads();
  if (!watch_->ok()) {
    lose(unavailable("the system cannot watch one more socket"));
    return;
  }
  for (std::size_t used = 0; used < early.size();) {
    const iovec room = reader_.room()[0];
    const std::size_t count = std::min(room.iov_len, early.size() - used);
    std::memcpy(room.iov_base, early.data() + used, count);
    used += count;
    if (!take(count)) return;
  }
  write_some();  // what was sent before this call may wait
}

void Connection::write_when_writable() {
  if (!is_closed_ && watch_) watch_->arm_write();
}

void Connection::end_writing() {
  if (!is_closed_) ::shutdown(socket_.fd(), SHUT_WR);
}

void Connection::close() {
  if (std::exchange(is_closed_, true)) return;
  outbox_.close();
  watch_.reset();
  socket_.reset();
}

void Connection::read_some() {
  const std::shared_ptr<Connection> self = shared_from_this();  // the events may let go of it
  for (int i = 0; i < kReadsPerTurn; ++i) {
    const std::span<const iovec> room = reader_.room();
    std::size_t asked = 0;
    for (const iovec& part : room) asked += part.iov_len;
    const long count = receive_some(socket_.fd(), room);
    if (count == -EAGAIN) return;
    if (count == 0) {
      lose(unavailable("the other side closed the connection"));
      return;
    }
    if (count < 0) {
      lose(unavailable("{}", errno_text(static_cast<int>(-count))));
      return;
    }
    if (!take(static_cast<std::size_t>(count))) return;
    if (static_cast<std::size_t>(count) < asked) return;  // most likely there is no more
  }
}

// False if the connection is closed now.
bool Connection::take(std::size_t count) {
  const Result<> cut = reader_.commit(count, frames_);
  for (FramePtr& frame : frames_) {
    if (is_closed_) break;
    events_.on_frame(std::move(frame));
  }
  frames_.clear();
  if (!is_closed_ && !cut.ok()) lose(cut.error());
  return !is_closed_;
}

void Connection::write_some() {
  if (is_closed_) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  const Outbox::Written written = outbox_.write_some();
  if (written.progress == Outbox::Progress::kBroken) {
    lose(unavailable("{}", errno_text(written.error)));
    return;
  }
  if (written.progress == Outbox::Progress::kBlocked) watch_->arm_write();
  if (written.has_room) events_.on_room();
}

void Connection::lose(const Error& why) {
  if (is_closed_) return;
  events_.on_lost(why);
}

}  // namespace godwit
