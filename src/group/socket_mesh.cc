// group/socket_mesh.cc: each rank connects to those below it, and is connected to by those above.
// The first bytes say who comes.
#include "group/socket_mesh.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "net/sockets.h"

namespace godwit {
namespace {

struct Hello {
  std::uint64_t secret = 0;
  std::uint64_t rank = 0;
};
static_assert(sizeof(Hello) == 16, "no padding: it is sent as it is");

// What waits in the system to be sent stays in the cache: on loopback, where the system would let
// it grow to megabytes, 64 MB take 33 ms instead of 43. Enough for 40 Gbit/s and 0.1 ms there and
// back.
constexpr int kSendBufferBytes = 512 << 10;

void tune(int fd) {
  tune_for_frames(fd);
  // A system that refuses is slower, not wrong.
  static_cast<void>(
      ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof kSendBufferBytes));
}

int ms_until(Time deadline, Time now) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(Duration(deadline - now)).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

Result<UniqueFd> connect_to(int peer, std::string_view place, const Hello& hello, Time deadline) {
  const RealTime time;
  GODWIT_TRY_ASSIGN(const SocketAddress address, SocketAddress::parse(place));
  auto socket = begin_connect(address);
  if (!socket.ok()) return Error(socket.error()).in_context(fmt::format("rank {}", peer));
  pollfd wait{.fd = socket->fd(), .events = POLLOUT, .revents = 0};
  while (::poll(&wait, 1, ms_until(deadline, time.now())) <= 0) {
    if (time.now() >= deadline) return timeout("rank {} at {} does not answer", peer, place);
  }
  const int error = connect_error(socket->fd());
  const auto words = std::as_bytes(std::span(&hello, 1));
  if (error != 0 || !send_whole(socket->fd(), words)) {
    return unavailable("rank {} at {} cannot be reached: {}", peer, place, errno_text(error));
  }
  tune(socket->fd());
  return socket;
}

// Connections that have not said yet who they are.
constexpr std::size_t kGuestsMax = 128;

// Lets in who says the secret, until all ranks from `rank` + 1 on are there. Strangers cost a
// bounded number of sockets, and no more time than there is.
class Doorman {
 public:
  Doorman(int door, std::uint64_t secret, int rank, std::vector<UniqueFd>& sockets)
      : door_(door), secret_(secret), first_(static_cast<std::size_t>(rank) + 1), in_(sockets) {}

  Result<> run(Time deadline) {
    const RealTime time;
    while (const auto missing = first_missing()) {
      std::vector<pollfd> wait{{.fd = door_, .events = POLLIN, .revents = 0}};
      for (const Guest& guest : guests_) wait.push_back({guest.socket.fd(), POLLIN, 0});
      ::poll(wait.data(), wait.size(), ms_until(deadline, time.now()));
      // In every turn: in a flood there is always something to do.
      if (time.now() >= deadline) return timeout("rank {} does not connect", *missing);
      // All are heard before one is dropped: who says its hello at once comes through.
      for (std::size_t i = guests_.size(); i-- > 0;) {
        if (wait[i + 1].revents != 0) hear(i);
      }
      if (wait[0].revents != 0) GODWIT_TRY(accept_one());
    }
    return {};
  }

 private:
  struct Guest {
    UniqueFd socket;
    Hello hello{};
    std::size_t heard = 0;  // bytes
  };

  std::optional<std::size_t> first_missing() const {
    for (std::size_t rank = first_; rank < in_.size(); ++rank) {
      if (!in_[rank].is_open()) return rank;
    }
    return std::nullopt;
  }

  // kUnavailable if the system lets nobody in, and there is no stranger whose place could be had.
  Result<> accept_one() {
    // Ranks that all come at once are not strangers to each other.
    if (guests_.size() >= std::max(kGuestsMax, in_.size())) drop_oldest();
    UniqueFd socket(::accept4(door_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const int error = errno;
    if (socket.is_open()) {
      guests_.push_back({.socket = std::move(socket)});
      return {};
    }
    // Whatever else went wrong was wrong with the one that came.
    const bool has_no_room =
        error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
    if (!has_no_room) return {};
    if (guests_.empty()) return unavailable("no rank can be let in: {}", errno_text(error));
    drop_oldest();
    return {};
  }

  void drop_oldest() { guests_.erase(guests_.begin()); }

  // Strangers are sent away without a word.
  void hear(std::size_t number) {
    Guest& guest = guests_[number];
    const auto room = std::as_writable_bytes(std::span(&guest.hello, 1)).subspan(guest.heard);
    const iovec part{room.data(), room.size()};
    const long count = receive_some(guest.socket.fd(), {&part, 1});
    if (count == -EAGAIN) return;
    if (count > 0) guest.heard += static_cast<std::size_t>(count);
    if (count > 0 && guest.heard < sizeof(Hello)) return;
    const std::uint64_t rank = guest.hello.rank;
    const bool is_known = guest.heard == sizeof(Hello) && guest.hello.secret == secret_ &&
                          first_ <= rank && rank < in_.size() && !in_[rank].is_open();
    if (is_known) {
      tune(guest.socket.fd());
      in_[rank] = std::move(guest.socket);
    }
    guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(number));
  }

  const int door_;
  const std::uint64_t secret_;
  const std::size_t first_;
  std::vector<UniqueFd>& in_;
  std::vector<Guest> guests_;  // have not said all yet; the oldest first
};

}  // namespace

Result<SocketMesh> SocketMesh::listen(const std::string& host) {
  const bool is_bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  const std::string name = is_bare_ipv6 ? fmt::format("[{}]", host) : host;
  GODWIT_TRY_ASSIGN(const auto address, SocketAddress::parse_to_listen(name + ":0"));
  SocketMesh mesh;
  GODWIT_TRY_ASSIGN(mesh.door_, listen_at(address));
  GODWIT_TRY_ASSIGN(const auto bound, SocketAddress::local_of(mesh.door_.fd()));
  mesh.place_ = fmt::format("{}:{}", name, bound.port());
  const auto got = ::getrandom(&mesh.secret_, sizeof mesh.secret_, 0);
  if (got != sizeof mesh.secret_) return unavailable("the system gives no random number");
  return mesh;
}

std::string SocketMesh::address() const {
  return fmt::format("{} {}", secret_, place_);
}

Result<std::vector<UniqueFd>> SocketMesh::connect(int rank,
                                                  const std::vector<std::string>& addresses,
                                                  Time deadline) {
  std::vector<UniqueFd> sockets(addresses.size());
  for (int peer = 0; peer < rank; ++peer) {
    const std::string_view address = addresses[static_cast<std::size_t>(peer)];
    const std::size_t space = std::min(address.find(' '), address.size());
    const auto secret = parse_number<std::uint64_t>(address.substr(0, space));
    if (!secret) return unavailable("rank {} has told no address but \"{}\"", peer, address);
    const Hello hello{.secret = *secret, .rank = static_cast<std::uint64_t>(rank)};
    GODWIT_TRY_ASSIGN(sockets[static_cast<std::size_t>(peer)],
                      connect_to(peer, address.substr(space + 1), hello, deadline));
  }
  GODWIT_TRY(Doorman(door_.fd(), secret_, rank, sockets).run(deadline));
  return sockets;
}

}  // namespace godwit
