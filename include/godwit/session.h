// godwit/session.h: a process's membership in a job. Opened alone it is an embedded node: the
// tables live in this process, with no sockets and no extra threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table.h"
#include "godwit/worker.h"

namespace godwit {

class SessionState;

struct SessionOptions {
  // Memory all tables of this session may take; 0 = what the machine has available at open().
  std::uint64_t memory_bytes_max = 0;
};

// Thread-safe. Tables and workers stay valid until they are destroyed, also after the session is.
class Session {
 public:
  static Result<Session> open(const SessionOptions& options = {});

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // The table of this name, made if it does not exist. Fails with kInvalidArgument if the spec is
  // bad or the name is taken by a table with another spec, with kOutOfMemory if a bounded table
  // whose rows are all used would not fit into the session's memory: nothing is allocated then.
  Result<Table> table(const TableSpec& spec);

  // A new worker, at tick 0.
  Result<Worker> worker();

  // Counters of this node by name, such as "pull.keys": what its workers have done so far.
  std::map<std::string, double> metrics() const;

  NodeId node() const;
  std::int64_t nodes() const;

 private:
  explicit Session(std::shared_ptr<SessionState> state);

  std::shared_ptr<SessionState> state_;
};

}  // namespace godwit
