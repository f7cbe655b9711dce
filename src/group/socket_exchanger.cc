// group/socket_exchanger.cc: a message is its length and its bytes. Both sides know the length; it
// goes along so that ranks at different calls find out instead of taking one thing for another.
//
// A call of the system takes as many messages as there are, and the bytes of a message go from
// where they are to where they belong. (Through gloo's sockets each message woke up two threads and
// was copied once more: 4 KB between two ranks took 55 us, 1 MB 3 times as long as gloo's own.)
#include "group/socket_exchanger.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/try.h"
#include "net/short_spin.h"
#include "net/sockets.h"

namespace godwit {
namespace {

class SocketExchanger final : public Exchanger {
 public:
  SocketExchanger(int rank, std::vector<UniqueFd> sockets,
                  std::function<Result<std::unique_ptr<Exchanger>>(Time)> shrink)
      : rank_(rank), shrink_(std::move(shrink)), peers_(sockets.size()) {
    for (std::size_t i = 0; i < sockets.size(); ++i) peers_[i].socket = std::move(sockets[i]);
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }

  Result<Transfer> send(int peer, std::span<const std::byte> bytes) override {
    // Never written to: it is sent from.
    auto* from = const_cast<std::byte*>(bytes.data());
    const Transfer transfer = take_slot({peer, true, from, bytes.size(), bytes.size()});
    at(peer).sends.push_back(transfer);
    // Few bytes leave with what follows: a call less on both sides.
    if (bytes.size() > kFewBytes) GODWIT_TRY(move(peer));
    return transfer;
  }

  Result<Transfer> receive(int peer, std::span<std::byte> bytes) override {
    const Transfer transfer = take_slot({peer, false, bytes.data(), bytes.size()});
    at(peer).receives.push_back(transfer);
    return transfer;
  }

  Result<> wait(Transfer transfer, Time deadline) override {
    const Begun& begun = begun_[transfer];
    while (!begun.is_done()) {
      if (broken_) return *broken_;
      GODWIT_TRY(move_all());
      if (!begun.is_done()) GODWIT_TRY(wait_until_ready(begun, deadline));
    }
    free_.push_back(transfer);
    return {};
  }

  void poke() override {
    if (broken_) return;
    if (auto moved = move_all(); !moved.ok()) broken_ = std::move(moved).error();
  }

  void abandon(const Error&) override {
    // What was sent before is still read: it may say to the others what is wrong.
    for (Peer& peer : peers_) {
      if (peer.socket.is_open()) ::shutdown(peer.socket.fd(), SHUT_WR);
      peer.is_over = true;
    }
  }

  Result<std::unique_ptr<Exchanger>> shrink(Time deadline) override {
    abandon(aborted("shrinking"));
    for (Peer& peer : peers_) peer.socket.reset();
    return shrink_(deadline);
  }

 private:
  static constexpr std::size_t kFewBytes = 256;
  static constexpr std::size_t kMessagesAtOnce = 4;
  static constexpr std::size_t kPacketBytes = std::size_t{64} << 10;  // at most
  static constexpr std::size_t kWakeUpBytes = std::size_t{256} << 10;
  using Parts = std::array<iovec, 2 * kMessagesAtOnce>;

  struct Begun {
    int peer = 0;
    bool is_send = false;
    std::byte* bytes = nullptr;
    std::uint64_t length = 0;
    std::uint64_t told_length = 0;  // as it is sent, or was received
    std::size_t moved = 0;          // of both

    std::size_t total() const { return sizeof told_length + length; }
    bool is_done() const { return moved == total(); }
  };
  struct Peer {
    UniqueFd socket;
    bool is_over = false;
    std::deque<Transfer> sends;     // in the order of their begin
    std::deque<Transfer> receives;  // the same
    int wake_up_bytes = 1;          // how many must be there

    bool is_busy() const { return !sends.empty() || !receives.empty(); }
  };

  Peer& at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }

  Transfer take_slot(const Begun& begun) {
    GODWIT_CHECK(begun.peer != rank_ && 0 <= begun.peer && begun.peer < size());
    GODWIT_CHECK_GT(begun.length, 0U);
    if (free_.empty()) {
      begun_.emplace_back();
      free_.push_back(static_cast<Transfer>(begun_.size() - 1));
    }
    const Transfer transfer = free_.back();
    free_.pop_back();
    begun_[transfer] = begun;
    return transfer;
  }

  static Error is_gone(int peer, long error) {
    const std::string why = error == 0 ? "it closed the connection" : errno_text(int(-error));
    return unavailable("rank {} is gone, or gave up: {}", peer, why);
  }

  // What is left of the first few.
  std::span<const iovec> parts_of(const std::deque<Transfer>& queue, Parts& parts) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < std::min(queue.size(), kMessagesAtOnce); ++i) {
      Begun& begun = begun_[queue[i]];
      constexpr std::size_t kHead = sizeof begun.told_length;
      if (begun.moved < kHead) {
        auto* head = reinterpret_cast<std::byte*>(&begun.told_length);
        parts[count++] = {head + begun.moved, kHead - begun.moved};
      }
      const std::size_t at = std::max(begun.moved, kHead) - kHead;
      parts[count++] = {begun.bytes + at, begun.length - at};
    }
    return std::span(parts).first(count);
  }

  static std::size_t bytes_in(std::span<const iovec> parts) {
    std::size_t bytes = 0;
    for (const iovec& part : parts) bytes += part.iov_len;
    return bytes;
  }

  // Bytes that have moved, to those that they belong to.
  Result<> note(std::deque<Transfer>& queue, std::size_t bytes) {
    while (bytes > 0) {
      Begun& begun = begun_[queue.front()];
      const std::size_t some = std::min(bytes, begun.total() - begun.moved);
      begun.moved += some;
      bytes -= some;
      const bool is_known = begun.moved >= sizeof begun.told_length;
      if (is_known && begun.told_length != begun.length) {
        return aborted("rank {} sent {} bytes where {} are meant: it is at another call",
                       begun.peer, begun.told_length, begun.length);
      }
      if (begun.is_done()) queue.pop_front();
    }
    return {};
  }

  // As much as can be moved now, in both directions.
  Result<> move(int number) {
    Peer& peer = at(number);
    for (auto* queue : {&peer.sends, &peer.receives}) {
      while (!queue->empty()) {
        if (!peer.socket.is_open() || peer.is_over) return unavailable("this group is over");
        Parts parts;
        const auto left = parts_of(*queue, parts);
        const bool is_send = queue == &peer.sends;
        const long count =
            is_send ? send_some(peer.socket.fd(), left) : receive_some(peer.socket.fd(), left);
        if (count == -EAGAIN) break;
        // What it has sent before it left may say why.
        if (is_send && count < 0 && !peer.receives.empty()) break;
        if (count <= 0) return is_gone(number, count);
        const auto moved = static_cast<std::size_t>(count);
        GODWIT_TRY(note(*queue, moved));
        if (moved < bytes_in(left)) break;
      }
    }
    return {};
  }

  Result<> move_all() {
    for (int peer = 0; peer < size(); ++peer) {
      if (at(peer).is_busy()) GODWIT_TRY(move(peer));
    }
    return {};
  }

  // Until something can move. Takes no processor if that takes its time. kTimeout if the deadline
  // had passed before.
  Result<> wait_until_ready(const Begun& begun, Time deadline) {
    polls_.clear();
    for (Peer& peer : peers_) {
      if (!peer.is_busy()) continue;
      if (!peer.receives.empty()) set_wake_up(peer);
      const int events = (peer.sends.empty() ? 0 : POLLOUT) | (peer.receives.empty() ? 0 : POLLIN);
      polls_.push_back({peer.socket.fd(), static_cast<short>(events | POLLRDHUP), 0});
    }
    const Duration left = deadline - time_.now();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int timeout_ms = static_cast<int>(std::clamp<std::int64_t>(ms, 0, 60'000));
    const bool is_ready =
        look_for_a_moment() || ::poll(polls_.data(), polls_.size(), timeout_ms) > 0;
    if (is_ready) GODWIT_TRY(check_senders());
    // Also who sends now and then is too late at last. Asked of the time before the poll, which is
    // known: what has come since is still taken.
    if (left > Duration::zero()) return {};
    return timeout("rank {} does not {}", begun.peer, begun.is_send ? "receive" : "send");
  }

  // Of a long message many bytes at once: to be woken up for each packet costs an eighth of the
  // time that it takes. But at once for its length, which may be another one than is meant.
  static int wake_up_bytes(const Begun& next) {
    const std::size_t left = next.total() - next.moved;
    if (next.moved < sizeof next.told_length || left <= kPacketBytes) return 1;
    return static_cast<int>(std::min(left, kWakeUpBytes));
  }
  void set_wake_up(Peer& peer) {
    const int bytes = wake_up_bytes(begun_[peer.receives.front()]);
    if (bytes == peer.wake_up_bytes) return;
    peer.wake_up_bytes = bytes;
    // A system that refuses it wakes up more often.
    ::setsockopt(peer.socket.fd(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  }

  // Waking up a thread takes longer than a short message; but who shares its processor only keeps
  // others from it.
  bool look_for_a_moment() {
    if (!spin_.is_worth_it()) return false;
    const Time begin = time_.now();
    for (Time given_away = begin;;) {
      const bool is_ready = ::poll(polls_.data(), polls_.size(), 0) > 0;
      const Time now = time_.now();
      const bool is_in_vain =
          now - begin >= ShortSpin::kLength || now - given_away >= ShortSpin::kYieldMax;
      if (is_ready || is_in_vain) {
        spin_.tell(is_ready);
        return is_ready;
      }
      given_away = now;
      ::sched_yield();
    }
  }

  // Who sends no more does not receive either. Who is received from is noticed there.
  Result<> check_senders() {
    std::size_t poll = 0;
    for (int number = 0; number < size(); ++number) {
      const Peer& peer = at(number);
      if (!peer.is_busy()) continue;
      const bool has_left = (polls_[poll++].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
      if (has_left && peer.receives.empty()) return is_gone(number, 0);
    }
    return {};
  }

  const int rank_;
  const RealTime time_;
  const std::function<Result<std::unique_ptr<Exchanger>>(Time)> shrink_;
  std::vector<Peer> peers_;
  std::deque<Begun> begun_;  // which stay where they are
  std::vector<Transfer> free_;
  std::vector<pollfd> polls_;
  ShortSpin spin_;
  std::optional<Error> broken_;  // noticed while nobody waited
};

}  // namespace

std::unique_ptr<Exchanger> make_socket_exchanger(
    int rank, std::vector<UniqueFd> sockets,
    std::function<Result<std::unique_ptr<Exchanger>>(Time deadline)> shrink) {
  return std::make_unique<SocketExchanger>(rank, std::move(sockets), std::move(shrink));
}

}  // namespace godwit
