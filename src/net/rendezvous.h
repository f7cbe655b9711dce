// net/rendezvous.h: how the nodes of a job find each other: all register at node 0, which answers
// everybody with the list. A blocking call with a loop of its own; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "net/endpoint.h"
#include "net/hello.h"

namespace godwit {

struct RendezvousOptions {
  // Where node 0 listens: "host:port", "unix:/path" or "unix:@name" (see SocketAddress::parse).
  std::string address;
  NodeId self;
  std::int64_t nodes = 1;
  Incarnation incarnation;
  JobKey job;
  Endpoint endpoint;  // of this node; a wildcard TCP address is replaced by one that is reachable
  Duration deadline = std::chrono::seconds(60);
  Duration hello_deadline = std::chrono::seconds(5);
};

// All nodes of the job, this one included, by id; the same list on every node (up to the addresses
// put in for wildcards). Fails on every node that registered if it fails on node 0. Nothing is
// left behind on failure.
//   kTimeout          not all came in time; names the nodes that are missing
//   kUnavailable      node 0 could not be reached until the deadline; says what the system said
//   kInvalidArgument  the address is malformed or in use; another version, token or job at the
//                     other end; two processes with one id (the second is told, the first is not
//                     harmed); a different number of nodes (both are told); bad options
//   kCorruption       whoever answers at the address does not speak this protocol
Result<std::vector<Peer>> rendezvous(const RendezvousOptions& options, const Log& log);

}  // namespace godwit
