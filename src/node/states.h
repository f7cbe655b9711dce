// node/states.h: what stands behind the handles of the public API.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/mutex.h"
#include "core/exchange_call.h"
#include "core/split.h"
#include "core/tables.h"
#include "core/tick_log.h"
#include "godwit/ids.h"
#include "launch/job_dir.h"
#include "node/checkpoints.h"
#include "node/node.h"
#include "node/schedule.h"

namespace godwit {

// Thread-safe. Kept alive by the session, its tables and its workers.
class SessionState {
 public:
  explicit SessionState(std::shared_ptr<Node> joined) : node(std::move(joined)) {}

  std::shared_ptr<SocketDir> meeting_place;  // as long as others may come, if there is one
  std::shared_ptr<Node> node;
  std::atomic<std::int64_t> workers_begun{0};
  Gather gather{*node};
  Checkpoints checkpoints{*node, gather};
};

// Thread-safe.
class TableState {
 public:
  std::shared_ptr<SessionState> session;
  Tables::Entry entry;
};

class Sampler;
class SampleSpecState;

struct SamplerSlot {
  std::weak_ptr<const SampleSpecState> spec;
  std::shared_ptr<Sampler> sampler;
};

// A call of a worker that waits for other nodes.
struct CallUnderWay {
  TicketId ticket{0};
  KeySplit split;                                         // the requests' positions lie in it
  std::vector<std::span<const std::uint32_t>> positions;  // of each request
  std::span<float> values;                                // of a pull
  std::uint32_t row_length = 0;
};

// An exchange of a worker that waits for other nodes.
struct PendingExchange {
  TicketId ticket{0};
  ExchangeCall call;
  ExchangeMemory* memory = nullptr;
};

// Few tables, each once.
inline bool has_table(const std::vector<TableId>& tables, TableId table) {
  return std::find(tables.begin(), tables.end(), table) != tables.end();
}
inline void note_table(std::vector<TableId>& tables, TableId table) {
  if (!has_table(tables, table)) tables.push_back(table);
}

// Owned by the worker's thread. Any thread may make leases and samples.
class WorkerState {
 public:
  WorkerState(std::shared_ptr<SessionState> session_of, WorkerId worker);
  WorkerState(const WorkerState&) = delete;
  WorkerState& operator=(const WorkerState&) = delete;
  ~WorkerState();

  std::shared_ptr<SessionState> session;
  WorkerId id;
  Tick tick;
  std::uint64_t step = 0;        // in which it is; 0: none
  std::vector<TableId> stepped;  // tables whose sums it has sent
  std::vector<TableId> changed;  // by it, in other ways
  std::shared_ptr<LeaseSchedule> schedule = std::make_shared<LeaseSchedule>();
  Mutex samplers_mutex;
  std::map<std::pair<const SampleSpecState*, TableId>, SamplerSlot> samplers
      GODWIT_GUARDED_BY(samplers_mutex);
  RowScratch scratch;
  Missed missed;
  Missed still_missed;
  std::vector<Key> some_keys;
  std::vector<float> some_floats;
  std::uint64_t last_call = 0;
  std::map<std::uint64_t, std::unique_ptr<CallUnderWay>> pending;
  std::vector<std::unique_ptr<CallUnderWay>> spare;
  std::map<std::uint64_t, std::unique_ptr<PendingExchange>> exchanges;
  std::map<std::pair<TableId, Key>, ExchangeMemory> exchange_memory;  // by the first key
  // Of bsp tables:
  std::map<TableId, std::unique_ptr<TickLog>> logs;
  std::vector<float> whole_rows;
  CounterCell* pulled_keys;
  CounterCell* pushed_keys;
  CounterCell* set_keys;
  CounterCell* remote_keys;
  CounterCell* leased_keys;
  CounterCell* exchanged_keys;
};

// kInvalidArgument if this thread holds rows of leases (lease.cc), in a job of several nodes.
Result<> check_no_rows_held(const Node& node);
// Of leases and samples (worker_leases.cc): kInvalidArgument for another session's table and for no
// ticks; for rows that cannot be touched in place here.
Result<> check_intent(const WorkerState& worker, const TableState& table, Tick first, Tick last);
Result<> check_in_place(const WorkerState& worker, const TableSpec& spec);
// A lease that was not begun. REQUIRES: keys in range.
std::shared_ptr<LeaseState> make_lease(const WorkerState& worker, const Tables::Entry& table,
                                       std::span<const Key> keys, Tick first, Tick last);
void begin_lease(WorkerState& worker, const std::shared_ptr<LeaseState>& lease);

// Of bsp tables (worker_bsp.cc). What the worker has changed in its present tick.
TickLog& log_of(WorkerState& worker, const Tables::Entry& table);
// Sends all of that to the owners of the rows: its tick ends. Leases have no rows then.
Result<> send_changes(WorkerState& worker);
// Gives an open lease rows of the worker's own. REQUIRES: its rows are here, as they are in the
// worker's tick for all.
void show_views(WorkerState& worker, LeaseState& lease);
// The same for all that are open still in a new tick, once that may be read.
Result<> renew_views(WorkerState& worker);

}  // namespace godwit
