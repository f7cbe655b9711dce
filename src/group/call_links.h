// group/call_links.h: the exchanger as one call sees it: with the call's deadline, and with a check
// that the others are at the same call. Owned by the thread that runs the call.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "group/call_header.h"
#include "group/exchanger.h"

namespace godwit {

class CallLinks {
 public:
  using Transfer = Exchanger::Transfer;

  // REQUIRES: the exchanger outlives it.
  CallLinks(Exchanger& exchanger, const CallHeader& header, Time deadline)
      : exchanger_(exchanger), header_(header), deadline_(deadline) {}

  int rank() const { return exchanger_.rank(); }
  int size() const { return exchanger_.size(); }
  const CallHeader& header() const { return header_; }

  Result<Transfer> send(int peer, std::span<const std::byte> bytes) {
    return exchanger_.send(peer, bytes);
  }
  Result<Transfer> receive(int peer, std::span<std::byte> bytes) {
    return exchanger_.receive(peer, bytes);
  }
  Result<> wait(Transfer transfer) { return exchanger_.wait(transfer, deadline_); }
  // As of Exchanger.
  std::byte* room(int peer, std::size_t bytes) { return exchanger_.room(peer, bytes); }
  bool has_views(int peer, std::size_t bytes) const { return exchanger_.has_views(peer, bytes); }
  Result<const std::byte*> view(int peer, std::size_t bytes) {
    return exchanger_.view(peer, bytes, deadline_);
  }
  void release(int peer) { exchanger_.release(peer); }

  // The first message to a rank in a call is no longer than this, so that a back-end which sends
  // long messages in another way does not mix up different calls; values that fit go with it.
  static constexpr std::size_t kGreetingBytes = 4096 + 64;

  // Tells `to` what this rank is about to do, and hears it from `from`. kAborted if that is
  // something else. Comes before anything else is exchanged with them.
  Result<> greet(std::span<const int> to, std::span<const int> from);
  Result<> greet(int to, int from) { return greet(std::span(&to, 1), std::span(&from, 1)); }

  // The same in two parts, so that values may follow at once. Nothing that was received from these
  // ranks is to be used before the second.
  struct Greeting {
    std::vector<int> from;
    std::vector<CallHeader> theirs;
    std::vector<Transfer> receives;
    std::vector<Transfer> sends;
  };
  Result<Greeting> begin_greeting(std::span<const int> to, std::span<const int> from);
  Result<Greeting> begin_greeting(int to, int from) {
    return begin_greeting(std::span(&to, 1), std::span(&from, 1));
  }
  Result<> finish(const Greeting& greeting);

  // The header at the front of a message.
  static CallHeader header_in(std::span<const std::byte> message);

  // Sends and receives at once.
  Result<> swap(int to, std::span<const std::byte> out, int from, std::span<std::byte> in);
  // With a greeting before it.
  Result<> greet_and_swap(int peer, std::span<const std::byte> out, std::span<std::byte> in);

 private:
  struct Swap {
    std::optional<Transfer> receiving;
    std::optional<Transfer> sending;
  };
  Result<Swap> begin_swap(int to, std::span<const std::byte> out, int from,
                          std::span<std::byte> in);
  Result<> finish(const Swap& begun);

  Exchanger& exchanger_;
  const CallHeader header_;
  const Time deadline_;
};

}  // namespace godwit
