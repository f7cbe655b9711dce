// net/rendezvous_messages.h: what is said at a rendezvous, after the hello. Thread-safe: values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "net/endpoint.h"

namespace godwit {

inline constexpr std::int64_t kNodesMax = std::int64_t{1} << 20;

// A node to node 0; who it is was said in the hello.
struct Registration {
  std::int64_t nodes = 0;  // how many it believes the job to have
  Endpoint endpoint;

  friend bool operator==(const Registration&, const Registration&) = default;
};

// Node 0 to a node, while it waits for others.
struct StillWaiting {
  std::string missing;  // "nodes 2 and 3"

  friend bool operator==(const StillWaiting&, const StillWaiting&) = default;
};

// Node 0 to a node; after a list or an error it closes.
using RendezvousAnswer = std::variant<StillWaiting, std::vector<Peer>, Error>;

FramePtr encode(const Registration& registration);
FramePtr encode(const RendezvousAnswer& answer);

// kCorruption if malformed.
Result<Registration> decode_registration(std::span<const std::byte> bytes);
Result<RendezvousAnswer> decode_answer(std::span<const std::byte> bytes);

}  // namespace godwit
