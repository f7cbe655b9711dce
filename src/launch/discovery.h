// launch/discovery.h: which node of which job this process is, and where the nodes meet. A pure
// function of the environment; the caller reads that. Thread-safe: no state.
//
// | started by                | needs from the user                                              |
// |---------------------------|------------------------------------------------------------------|
// | nothing                   | nothing: a job of one node                                       |
// | godwit launch             | nothing; see rank_place.h for --groups                          |
// | mpirun, one host          | nothing                                                          |
// | mpirun, several hosts     | GODWIT_RENDEZVOUS=tcp:HOST:PORT (node 0's host) and GODWIT_TOKEN |
// | srun, one host            | nothing                                                          |
// | srun, several hosts       | GODWIT_TOKEN                                                     |
// | RANK, WORLD_SIZE, ...     | MASTER_ADDR and MASTER_PORT; several hosts: GODWIT_TOKEN         |
//
// On one host a missing token is derived from values that all processes of the job share. Where
// the nodes meet in a directory of mode 0700 that is enough; on a loopback port other users of
// this host could guess it, except under Open MPI, which gives each job a random key. There too,
// GODWIT_TOKEN is taken if it is set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/process_table.h"
#include "launch/rank_claims.h"
#include "launch/rank_place.h"

namespace godwit {

struct JobPlace {
  NodeId node{0};
  std::int64_t nodes = 1;
  std::string source;      // who said so: to_string(RankSource), or "alone"
  bool local = true;       // all nodes are on this host
  std::string job;         // two jobs on one host differ; letters, digits, '.', '_', '-'
  std::string rendezvous;  // "unix:/path" or "tcp:host:port"; node 0 listens there
  std::string socket_dir;  // for Unix sockets of this job's nodes; see SocketDir
  std::string token;       // a secret: never to be printed or put on a command line

  std::int64_t servers = 0;         // how many nodes hold rows, from node 0 on; 0: all
  NodeRole role = NodeRole::kNode;  // kServer: one of a job with groups
  std::optional<RankPlace> group;   // of a rank

  // A job of one node has no peers: job, rendezvous, socket_dir and token may be empty.
};

struct PlaceFlags {
  RankFlags rank;
  std::optional<std::string> rendezvous;  // --rendezvous
};

// What is not in the environment but must be known.
struct ProcessFacts {
  std::int64_t user = 0;                // geteuid()
  std::string host;                     // gethostname()
  std::vector<ProcessEntry> ancestors;  // parent first
};
ProcessFacts this_process();

// kInvalidArgument, naming the variables and what to set, if sources disagree, a value is malformed
// or something is missing that the user must give.
Result<JobPlace> discover(const Environment& environment, const PlaceFlags& flags,
                          const ProcessFacts& facts);

// Whether nodes that meet there can only be on this host.
bool is_on_this_host(std::string_view rendezvous);

// "unix:/absolute/path", "tcp:host:port" or "host:port", an IPv6 host in brackets; the result has
// the scheme. kInvalidArgument otherwise, and for a path too long for a socket.
Result<std::string> parse_rendezvous(const std::string& text);

}  // namespace godwit
