// net/endpoint.h: where a node can be reached. Thread-safe: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "godwit/ids.h"
#include "net/socket_address.h"
#include "net/transport.h"

namespace godwit {

// All the ways to reach one node; who connects takes the best one that works.
struct Endpoint {
  std::string host;       // host_identity() of its machine
  std::string unix_name;  // of a Unix socket in the abstract namespace; empty: has none
  std::string tcp_host;   // numeric address; empty: has none
  std::uint16_t tcp_port = 0;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// "unix:@name or 127.0.0.1:7077", for messages.
std::string to_string(const Endpoint& endpoint);

// One node of a job, as its peers must know it.
struct Peer {
  NodeId node;
  Incarnation incarnation;
  Endpoint endpoint;

  friend bool operator==(const Peer&, const Peer&) = default;
};

// Tells this boot of this machine from all others; host names may repeat. Never empty.
std::string host_identity();

// What to try in this order, from a machine with the identity `own_host`: the Unix socket if both
// are on one machine, then TCP. kInvalidArgument if an address in `endpoint` is malformed.
Result<std::vector<SocketAddress>> ways_to(const Endpoint& endpoint, const std::string& own_host);

// The name of a node's socket, unique per job, node and incarnation.
std::string unix_name_of(const std::string& job_id, NodeId node, Incarnation incarnation);

}  // namespace godwit
