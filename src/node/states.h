// node/states.h: what stands behind the handles of the public API.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/metrics.h"
#include "core/tables.h"
#include "godwit/ids.h"

namespace godwit {

// Thread-safe. Kept alive by the session, its tables and its workers.
class SessionState {
 public:
  explicit SessionState(std::uint64_t memory_bytes_max) : tables(memory_bytes_max) {}

  Tables tables;
  Metrics metrics;
  std::atomic<std::int64_t> workers_begun{0};
};

// Thread-safe.
class TableState {
 public:
  std::shared_ptr<SessionState> session;
  TableRows* rows = nullptr;  // owned by session->tables
};

// Owned by the worker's thread.
class WorkerState {
 public:
  WorkerState(std::shared_ptr<SessionState> session_of, WorkerId worker);

  std::shared_ptr<SessionState> session;
  WorkerId id;
  Tick tick;
  RowScratch scratch;
  CounterCell* pulled_keys;
  CounterCell* pushed_keys;
  CounterCell* set_keys;
};

}  // namespace godwit
