// group/shared_links.cc: channels between all ranks of a host.
#include "group/shared_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::size_t kNoticeBytes = 4096;

}  // namespace

// A rank's memory: why it gave up, then its channels to each rank.
std::size_t SharedLinks::memory_bytes(int ranks) {
  return kNoticeBytes + static_cast<std::size_t>(ranks) * SharedChannel::memory_bytes();
}

void SharedLinks::clear(std::byte* memory, int ranks) {
  std::memset(memory, 0, sizeof(Notice));
  for (int rank = 0; rank < ranks; ++rank) {
    const auto offset = static_cast<std::size_t>(rank) * SharedChannel::memory_bytes();
    SharedChannel(memory + kNoticeBytes + offset).clear();
  }
}

SharedLinks::SharedLinks(int rank, std::vector<std::byte*> memory)
    : rank_(rank), memory_(std::move(memory)), peers_(memory_.size()) {
  static_assert(sizeof(Notice) <= kNoticeBytes);
  const auto self = static_cast<std::size_t>(rank);
  const auto channel = [&](std::size_t from, std::size_t to) {
    return SharedChannel(memory_[from] + kNoticeBytes + to * SharedChannel::memory_bytes());
  };
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    if (memory_[peer] == nullptr) continue;
    ++local_ranks_;
    if (peer == self) continue;
    peers_[peer].out = channel(self, peer);
    peers_[peer].in = channel(peer, self);
  }
}

bool SharedLinks::carries(int peer, std::size_t length) const {
  return length <= SharedChannel::kMessageBytesMax &&
         peers_[static_cast<std::size_t>(peer)].out.is_there();
}

void SharedLinks::send(int peer, Begun& begun) {
  Peer& to = peer_at(peer);
  if (to.lent != nullptr && begun.bytes == to.lent) {
    to.out.publish(begun.length);
    to.lent = nullptr;
    begun.is_done = true;
    return;
  }
  to.lent = nullptr;
  std::byte* room = to.sends.empty() ? to.out.room() : nullptr;
  if (room == nullptr) {
    to.sends.push_back(&begun);
    return;
  }
  std::memcpy(room, begun.bytes, begun.length);
  to.out.publish(begun.length);
  begun.is_done = true;
}

void SharedLinks::receive(int peer, Begun& begun) {
  peer_at(peer).receives.push_back(&begun);
}

Result<> SharedLinks::progress() {
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    if (peers_[peer].out.is_there()) GODWIT_TRY(move(static_cast<int>(peer)));
  }
  return {};
}

Result<> SharedLinks::move(int number) {
  Peer& peer = peer_at(number);
  while (!peer.sends.empty()) {
    std::byte* room = peer.out.room();
    if (room == nullptr) break;
    Begun& begun = *peer.sends.front();
    std::memcpy(room, begun.bytes, begun.length);
    peer.out.publish(begun.length);
    begun.is_done = true;
    peer.sends.pop_front();
  }
  while (!peer.receives.empty()) {
    Begun& begun = *peer.receives.front();
    GODWIT_TRY_ASSIGN(const std::byte* from, front(number, begun.length));
    if (from == nullptr) break;
    std::memcpy(begun.bytes, from, begun.length);
    begun.is_done = true;
    peer.in.pop();
    peer.receives.pop_front();
  }
  return {};
}

std::byte* SharedLinks::room(int peer) {
  Peer& to = peer_at(peer);
  to.lent = to.sends.empty() ? to.out.room() : nullptr;
  return to.lent;
}

Result<const std::byte*> SharedLinks::front(int peer, std::size_t length) {
  const std::span<const std::byte> message = peer_at(peer).in.front();
  if (message.size() == length) return message.data();
  if (!message.empty()) {
    return aborted("rank {} sent {} bytes where {} are meant: it is at another call", peer,
                   message.size(), length);
  }
  return nullptr;
}

bool SharedLinks::has_queued_sends() const {
  return std::ranges::any_of(peers_, [](const Peer& peer) { return !peer.sends.empty(); });
}

Result<> SharedLinks::check_others() const {
  for (std::size_t rank = 0; rank < memory_.size(); ++rank) {
    if (memory_[rank] == nullptr || static_cast<int>(rank) == rank_) continue;
    const Notice& notice = notice_of(static_cast<int>(rank));
    const std::uint32_t given = notice.is_given.load(std::memory_order_acquire);
    if (given == 0) continue;
    if (given == 2) return unavailable("rank {} gave up: {}", rank, notice.text.data());
    return aborted("rank {} gave up: {}", rank, notice.text.data());
  }
  return {};
}

void SharedLinks::pop(int peer) {
  peer_at(peer).in.pop();
}

void SharedLinks::give_up(const Error& why) {
  for (Peer& peer : peers_) {
    peer.sends.clear();
    peer.receives.clear();
  }
  Notice& notice = notice_of(rank_);
  if (notice.is_given.load(std::memory_order_relaxed) != 0) return;
  fmt::format_to_n(notice.text.data(), notice.text.size() - 1, "{}", why.message());
  const bool has_lost = why.code() == ErrorCode::kUnavailable;
  notice.is_given.store(has_lost ? 2 : 1, std::memory_order_release);
}

}  // namespace godwit
