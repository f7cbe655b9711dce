// node/states.h: what stands behind the handles of the public API.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/metrics.h"
#include "core/split.h"
#include "core/tables.h"
#include "godwit/ids.h"
#include "node/node.h"

namespace godwit {

// Thread-safe. Kept alive by the session, its tables and its workers.
class SessionState {
 public:
  explicit SessionState(std::shared_ptr<Node> joined) : node(std::move(joined)) {}

  std::shared_ptr<Node> node;
  std::atomic<std::int64_t> workers_begun{0};
};

// Thread-safe.
class TableState {
 public:
  std::shared_ptr<SessionState> session;
  Tables::Entry entry;
};

// A call of a worker that waits for other nodes.
struct PendingCall {
  TicketId ticket{0};
  Split split;                                            // the requests' positions lie in it
  std::vector<std::span<const std::uint32_t>> positions;  // of each request
  std::span<float> values;                                // of a pull
  std::uint32_t row_length = 0;
};

// Owned by the worker's thread.
class WorkerState {
 public:
  WorkerState(std::shared_ptr<SessionState> session_of, WorkerId worker);

  std::shared_ptr<SessionState> session;
  WorkerId id;
  Tick tick;
  RowScratch scratch;
  Split split;
  std::vector<Key> local_keys;
  std::vector<float> local_floats;
  std::uint64_t last_call = 0;
  std::map<std::uint64_t, std::unique_ptr<PendingCall>> pending;
  std::vector<std::unique_ptr<PendingCall>> spare;
  CounterCell* pulled_keys;
  CounterCell* pushed_keys;
  CounterCell* set_keys;
  CounterCell* remote_keys;
};

}  // namespace godwit
