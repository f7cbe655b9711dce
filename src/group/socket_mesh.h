// group/socket_mesh.h: a TCP connection between each two ranks. Blocking calls; owned by one
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time_source.h"
#include "base/unique_fd.h"
#include "godwit/result.h"

namespace godwit {

class SocketMesh {
 public:
  // Listens at any free port of `host`, a name or an address by which the others reach this
  // process. kInvalidArgument if that cannot be.
  static Result<SocketMesh> listen(const std::string& host);

  // What the others must know to connect. Has a secret: who does not say it is not let in.
  std::string address() const;

  // A call of all ranks: sockets by rank, not blocking; that of this rank is not open.
  // `addresses`: of all, by rank. Strangers do not keep it beyond its deadline, nor keep ranks
  // out: the oldest of too many silent connections are dropped.
  //   kTimeout      not all have connected; names one
  //   kUnavailable  a rank cannot be reached, or nobody let in: the system has no room for it
  Result<std::vector<UniqueFd>> connect(int rank, const std::vector<std::string>& addresses,
                                        Time deadline);

 private:
  SocketMesh() = default;

  std::string place_;  // host:port
  std::uint64_t secret_ = 0;
  UniqueFd door_;
};

}  // namespace godwit
