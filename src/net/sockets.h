// net/sockets.h: the system calls that make stream sockets; all are non-blocking and never raise
// SIGPIPE. Thread-safe: no state.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string>

#include "base/unique_fd.h"
#include "godwit/result.h"
#include "net/socket_address.h"

namespace godwit {

// What the system says to an error number: "connection refused".
std::string errno_text(int error);

// A socket that listens. A Unix socket file that nobody listens at any more is replaced.
// kInvalidArgument, naming the address, if it is in use, not ours, or not allowed.
Result<UniqueFd> listen_at(const SocketAddress& address);

// A socket whose connection is made or on its way: it is decided once it is writable, see
// connect_error(). kUnavailable if it was refused at once.
Result<UniqueFd> begin_connect(const SocketAddress& address);

// 0 if the connection of a writable socket was made, else the error number.
int connect_error(int fd);

// Without waiting for more bytes to fill a packet, and with room for what one wake-up can move.
void tune_for_frames(int fd);

// Bytes written or read; 0 from receive_some is the end. Negative: minus the error number,
// -EAGAIN if the socket is full or empty.
long send_some(int fd, std::span<const iovec> parts);
long receive_some(int fd, std::span<const iovec> parts);

// All of `bytes`, or false. For what surely fits: the first words on a connection.
bool send_whole(int fd, std::span<const std::byte> bytes);

}  // namespace godwit
