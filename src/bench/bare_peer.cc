// bench/bare_peer.cc: blocking sockets and memcpy.
#include "bench/bare_peer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

enum class Act : std::uint64_t { kPull, kPush, kPing, kOneCore };

struct Head {
  Act act = Act::kPull;
  std::uint64_t count = 0;   // rows; of a ping: bytes that follow; of kOneCore: 1 or 0
  std::uint64_t answer = 0;  // of a ping: bytes to send back
};

bool read_all(int socket, void* to, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, MSG_WAITALL);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(int socket, std::span<iovec> parts) {
  while (!parts.empty()) {
    const msghdr message{.msg_iov = parts.data(), .msg_iovlen = parts.size()};
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    GODWIT_CHECK_GT(sent, 0);
    auto left = static_cast<std::size_t>(sent);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (left > 0) {
      parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
}

template <class... Spans>
void write_parts(int socket, const Head& head, Spans... spans) {
  std::array<iovec, 1 + sizeof...(Spans)> parts = {
      iovec{const_cast<Head*>(&head), sizeof(head)},
      iovec{const_cast<void*>(static_cast<const void*>(spans.data())), spans.size_bytes()}...};
  write_all(socket, parts);
}

// How many rows ahead the server asks for; the best of a few that were tried.
constexpr std::size_t kAhead = 16;

void gather(std::span<const float> rows, std::size_t length, std::span<const Key> keys,
            float* out) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) {
      const float* next = rows.data() + keys[i + kAhead] * length;
      for (std::size_t j = 0; j < length; j += 16) __builtin_prefetch(next + j, 0, 2);
    }
    std::memcpy(out + i * length, rows.data() + keys[i] * length, length * sizeof(float));
  }
}

void add(std::span<float> rows, std::size_t length, std::span<const Key> keys,
         const float* gradients) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + kAhead < keys.size()) {
      const float* next = rows.data() + keys[i + kAhead] * length;
      for (std::size_t j = 0; j < length; j += 16) __builtin_prefetch(next + j, 1, 2);
    }
    float* row = rows.data() + keys[i] * length;
    for (std::size_t j = 0; j < length; ++j) row[j] += gradients[i * length + j];
  }
}

// The first core that this process may use, or all of them. Best effort.
void move_thread(bool to_one_core) {
  static const cpu_set_t kAll = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof(set), &set);
    return set;
  }();
  cpu_set_t wanted = kAll;
  if (to_one_core) {
    CPU_ZERO(&wanted);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&wanted) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &kAll)) CPU_SET(cpu, &wanted);
    }
  }
  ::sched_setaffinity(0, sizeof(wanted), &wanted);
}

}  // namespace

std::string_view to_string(SocketKind kind) {
  return kind == SocketKind::kUnix ? "unix" : "tcp";
}

Result<SocketPair> connected_pair(SocketKind kind) {
  SocketPair pair;
  if (kind == SocketKind::kUnix) {
    std::array<int, 2> both{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) != 0) {
      return unavailable("socketpair: {}", std::strerror(errno));
    }
    return SocketPair{both[0], both[1]};
  }
  sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  pair.first = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool ready = ::bind(listener, generic, size) == 0 && ::listen(listener, 1) == 0 &&
                     ::getsockname(listener, generic, &size) == 0 &&
                     ::connect(pair.first, generic, size) == 0;
  if (ready) pair.second = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  if (pair.second < 0) return unavailable("loopback TCP: {}", std::strerror(errno));
  const int one = 1;
  for (const int socket : {pair.first, pair.second}) {
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  return pair;
}

void hang_up(int socket) {
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

void serve_bare(int socket, std::span<float> rows, std::size_t length) {
  Head head;
  std::vector<Key> keys;
  std::vector<float> floats;
  std::vector<std::byte> bytes;
  while (read_all(socket, &head, sizeof(head))) {
    if (head.act == Act::kPing) {
      bytes.resize(std::max(head.count, head.answer));
      if (!read_all(socket, bytes.data(), head.count)) return;
      std::array<iovec, 1> parts = {iovec{bytes.data(), head.answer}};
      write_all(socket, parts);
      continue;
    }
    if (head.act == Act::kOneCore) {
      move_thread(head.count != 0);
      write_parts(socket, head, std::span<const float>());
      continue;
    }
    keys.resize(head.count);
    floats.resize(head.count * length);
    if (!read_all(socket, keys.data(), keys.size() * sizeof(Key))) return;
    if (head.act == Act::kPull) {
      gather(rows, length, keys, floats.data());
      write_parts(socket, head, std::span(floats));
    } else {
      if (!read_all(socket, floats.data(), floats.size() * sizeof(float))) return;
      add(rows, length, keys, floats.data());
      write_parts(socket, head, std::span<const float>());
    }
  }
}

void BareClient::send_pull(std::span<const Key> rows) {
  write_parts(socket_, {.act = Act::kPull, .count = rows.size()}, rows);
}

void BareClient::read_rows(std::span<float> values) {
  Head head;
  GODWIT_CHECK(read_all(socket_, &head, sizeof(head)));
  GODWIT_CHECK_EQ(head.count * length_, values.size());
  GODWIT_CHECK(read_all(socket_, values.data(), values.size_bytes()));
}

void BareClient::send_push(std::span<const Key> rows, std::span<const float> gradients) {
  write_parts(socket_, {.act = Act::kPush, .count = rows.size()}, rows, gradients);
}

void BareClient::read_done() {
  Head head;
  GODWIT_CHECK(read_all(socket_, &head, sizeof(head)));
}

void BareClient::stay_on_one_core(bool on_one) {
  move_thread(on_one);
  write_parts(socket_, {.act = Act::kOneCore, .count = on_one ? 1U : 0U}, std::span<const float>());
  read_done();
}

void BareClient::ping(std::size_t request, std::size_t answer) {
  // The head is a part of the request's bytes.
  const std::size_t body = request - std::min(request, sizeof(Head));
  buffer_.resize(std::max(body, answer));
  write_parts(socket_, {.act = Act::kPing, .count = body, .answer = answer},
              std::span<const std::byte>(buffer_).first(body));
  GODWIT_CHECK(read_all(socket_, buffer_.data(), answer));
}

}  // namespace godwit
