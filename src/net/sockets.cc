// net/sockets.cc: plain POSIX calls.
// Thread-safe.
#include "net/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

namespace {

// A Unix socket blocks its writer at this many bytes that the reader has not taken. The system may
// allow less. TCP adapts by itself.
constexpr int kUnixSendBufferBytes = 1 << 20;

Result<UniqueFd> make_socket(int family) {
  UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return unavailable("cannot make a socket: {}", errno_text(errno));
  return socket;
}

void set_option(int fd, int level, int name, int value) {
  // Options that tune: a system that refuses one is slower, not wrong.
  static_cast<void>(setsockopt(fd, level, name, &value, sizeof value));
}

// True if there is a socket file that nobody listens at: left by a process that was killed.
bool is_stale_file(const SocketAddress& address) {
  if (address.path().empty()) return false;
  const Result<UniqueFd> socket = make_socket(AF_UNIX);
  return socket.ok() && ::connect(socket->fd(), address.data(), address.size()) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

std::string errno_text(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

Result<UniqueFd> listen_at(const SocketAddress& address) {
  GODWIT_TRY_ASSIGN(UniqueFd socket, make_socket(address.family()));
  if (!address.is_unix()) set_option(socket.fd(), SOL_SOCKET, SO_REUSEADDR, 1);
  int bound = ::bind(socket.fd(), address.data(), address.size());
  if (bound != 0 && errno == EADDRINUSE && is_stale_file(address)) {
    ::unlink(address.path().c_str());
    bound = ::bind(socket.fd(), address.data(), address.size());
  }
  if (bound != 0 || ::listen(socket.fd(), SOMAXCONN) != 0) {
    const int error = errno;
    if (error == EADDRINUSE && !address.is_unix()) {
      return invalid_argument("port {} of {} is in use: choose another one, or 0 for any free one",
                              address.port(), address.host());
    }
    return invalid_argument("cannot listen at {}: {}", address.to_string(), errno_text(error));
  }
  return socket;
}

Result<UniqueFd> begin_connect(const SocketAddress& address) {
  GODWIT_TRY_ASSIGN(UniqueFd socket, make_socket(address.family()));
  if (::connect(socket.fd(), address.data(), address.size()) != 0 && errno != EINPROGRESS) {
    return unavailable("{}", errno_text(errno));
  }
  return socket;
}

int connect_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

void tune_for_frames(int fd) {
  const Result<SocketAddress> address = SocketAddress::local_of(fd);
  if (address.ok() && !address->is_unix()) {
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  } else {
    set_option(fd, SOL_SOCKET, SO_SNDBUF, kUnixSendBufferBytes);
  }
}

long send_some(int fd, std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  for (;;) {
    const ssize_t count = ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) return count;
    if (errno != EINTR) return -(errno == EWOULDBLOCK ? EAGAIN : errno);
  }
}

long receive_some(int fd, std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());
  message.msg_iovlen = parts.size();
  for (;;) {
    const ssize_t count = ::recvmsg(fd, &message, MSG_DONTWAIT);
    if (count >= 0) return count;
    if (errno != EINTR) return -(errno == EWOULDBLOCK ? EAGAIN : errno);
  }
}

bool send_whole(int fd, std::span<const std::byte> bytes) {
  if (bytes.empty()) return true;
  const iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  return send_some(fd, {&part, 1}) == static_cast<long>(bytes.size());
}

}  // namespace godwit
