// sched/ask_line.cc: poll, write, poll, read.
#include "sched/ask_line.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/errors.h"
#include "base/ids_fmt.h"
#include "base/try.h"
#include "launch/poll_timeout.h"
#include "net/peer_user.h"
#include "net/sockets.h"

namespace godwit {
namespace {

bool wait_for(int fd, short events, Time deadline, const TimeSource& time) {
  for (;;) {
    const Time now = time.now();
    if (now >= deadline) return false;
    pollfd polled{fd, events, 0};
    if (poll(&polled, 1, poll_timeout_ms(deadline, now)) > 0) return true;
  }
}

}  // namespace

Result<std::string> ask_line(const SocketAddress& address, std::string_view question,
                             Duration within) {
  const RealTime time;
  const Time deadline = time.now() + within;
  const auto late = [&] { return timeout("no answer within {}", within); };
  auto socket = begin_connect(address);
  if (!socket.ok()) return unavailable("nobody answers at {}", address.to_string());
  if (!wait_for(socket->fd(), POLLOUT, deadline, time)) return late();
  if (connect_error(socket->fd()) != 0) {
    return unavailable("nobody answers at {}", address.to_string());
  }
  const auto user = peer_user(socket->fd());
  if (address.is_unix() && (!user || *user != static_cast<std::int64_t>(geteuid()))) {
    return unavailable("{} belongs to another user", address.to_string());
  }
  std::string line = std::string(question) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const iovec part{line.data() + sent, line.size() - sent};
    const long count = send_some(socket->fd(), {&part, 1});
    if (count == -EAGAIN) {
      if (!wait_for(socket->fd(), POLLOUT, deadline, time)) return late();
      continue;
    }
    if (count < 0) return unavailable("it went before it was asked");
    sent += static_cast<std::size_t>(count);
  }
  std::string answer;
  while (!answer.ends_with('\n')) {
    std::array<char, 65536> bytes;
    const iovec part{bytes.data(), bytes.size()};
    const long count = receive_some(socket->fd(), {&part, 1});
    if (count == -EAGAIN) {
      if (!wait_for(socket->fd(), POLLIN, deadline, time)) return late();
      continue;
    }
    if (count <= 0) return unavailable("it went before it had answered");
    answer.append(bytes.data(), static_cast<std::size_t>(count));
  }
  answer.pop_back();
  return answer;
}

}  // namespace godwit
