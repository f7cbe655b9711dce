// net/rendezvous_fixture.h: for tests: nodes at a rendezvous, each on a thread of its own.
// Thread-safe.
#pragma once

#include <unistd.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/rendezvous.h"
#include "net/transport_fixture.h"

namespace godwit {

using PeersResult = Result<std::vector<Peer>>;

inline RendezvousOptions rendezvous_options(const std::string& address, std::int64_t node,
                                            std::int64_t nodes) {
  RendezvousOptions options;
  options.address = address;
  options.self = NodeId(node);
  options.nodes = nodes;
  options.incarnation = Incarnation(100 + node);
  options.job = {"test-" + std::to_string(::getpid()), "token"};
  options.endpoint = {"boot", "name-" + std::to_string(node), "10.0.0.1",
                      static_cast<std::uint16_t>(1000 + node)};
  options.deadline = std::chrono::seconds(30);
  return options;
}

// All calls at once; the results in their order.
inline std::vector<PeersResult> meet(const std::vector<RendezvousOptions>& all) {
  std::vector<std::optional<PeersResult>> results(all.size());
  const Log log = quiet_log();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < all.size(); ++i) {
      threads.emplace_back([&, i] { results[i] = rendezvous(all[i], log); });
    }
  }
  std::vector<PeersResult> values;
  for (auto& result : results) values.push_back(*std::move(result));
  return values;
}

// A name that no other test of this process uses.
inline std::string rendezvous_name(const std::string& test) {
  return "unix:@godwit-rendezvous-" + std::to_string(::getpid()) + "-" + test;
}

}  // namespace godwit
