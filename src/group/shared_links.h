// group/shared_links.h: the part of an exchanger that goes through memory of the host: short
// messages between its ranks. Owned by the exchanger's thread.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/time_source.h"
#include "godwit/result.h"
#include "group/shared_channel.h"

namespace godwit {

class SharedLinks {
 public:
  // Of the memory that each rank contributes, aligned to a cache line.
  static std::size_t memory_bytes(int ranks);
  // Makes it ready, before any rank uses it.
  static void clear(std::byte* memory, int ranks);

  // A transfer that is on its way; stays where it is until it is done.
  struct Begun {
    std::byte* bytes = nullptr;
    std::size_t length = 0;
    bool is_done = false;
  };

  // `memory[r]`: what rank r contributed, null if it is on another host. The calling rank's own
  // memory is never null. REQUIRES: the memory outlives it.
  SharedLinks(int rank, std::vector<std::byte*> memory);

  // Whether messages of this length between this rank and `peer` go this way. The same on both.
  bool carries(int peer, std::size_t length) const;
  // Ranks of this host.
  int local_ranks() const { return local_ranks_; }

  // Begins; is_done may be true at once. REQUIRES: carries().
  void send(int peer, Begun& begun);
  void receive(int peer, Begun& begun);
  // Does what can be done. kAborted if a message has another length.
  Result<> progress();
  // That progress() has not got rid of, to any rank or to this one.
  bool has_queued_sends() const;
  bool has_queued_sends(int peer) const {
    return !peers_[static_cast<std::size_t>(peer)].sends.empty();
  }
  // If a rank of this host gave up, its reason: kUnavailable if it has lost a rank, else kAborted.
  Result<> check_others() const;

  // Without a copy: see Exchanger.
  std::byte* room(int peer);
  Result<const std::byte*> front(int peer, std::size_t length);  // null: it has not come yet
  void pop(int peer);

  // Nothing of what was begun is touched from now on. The others learn why.
  void give_up(const Error& why);

 private:
  struct Peer {
    SharedChannel out;
    SharedChannel in;
    std::byte* lent = nullptr;
    std::deque<Begun*> sends;
    std::deque<Begun*> receives;
  };
  struct Notice {
    std::atomic<std::uint32_t> is_given;  // 2: has lost a rank
    std::array<char, 508> text;           // ends with a zero
  };

  Peer& peer_at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }
  Notice& notice_of(int rank) const {
    return *reinterpret_cast<Notice*>(memory_[static_cast<std::size_t>(rank)]);
  }
  Result<> move(int number);

  const int rank_;
  const std::vector<std::byte*> memory_;
  int local_ranks_ = 0;
  std::vector<Peer> peers_;
};

}  // namespace godwit
