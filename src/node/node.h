// node/node.h: a node of a job: the state machine, the lock around it, the loop thread that feeds
// it from sockets, and the blocking of threads that wait for it. Thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/disk.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/mutex.h"
#include "base/time_source.h"
#include "clock/auto_windows.h"
#include "core/exchange_call.h"
#include "core/node_core.h"
#include "core/split.h"
#include "core/tables.h"
#include "net/delaying_transport.h"
#include "net/event_loop.h"
#include "net/late_door.h"
#include "net/line_server.h"
#include "net/socket_transport.h"
#include "net/transport.h"
#include "node/schedule.h"

namespace godwit {

struct NodeOptions {
  NodeId self{0};
  std::int64_t nodes = 1;
  std::int64_t servers = 0;            // nodes that own rows, from node 0 on; 0: all
  std::int64_t workers = 1;            // that are expected from tick 0 on
  std::uint64_t memory_bytes_max = 0;  // 0: what the machine has
  Duration rejoin_within{};            // as in SessionOptions
  GroupPatience group_patience;
  Duration wait_max = std::chrono::minutes(10);
  Duration join_within = std::chrono::seconds(60);
  Liveness liveness;

  // Of jobs with more than one node.
  std::string rendezvous;  // "host:port" or "unix:/path"
  JobKey job;
  std::string tcp_address = "127.0.0.1";
  bool unix_socket = true;
  std::optional<LinkSpeed> link;  // made slower, for experiments

  std::shared_ptr<Disk> disk;  // for checkpoints; null: the machine's
};

class JsonText;

class Node final : private TransportEvents, private TicketEvents {
 public:
  // Joins the job: returns when all nodes are there. Alone, it starts no thread and no socket.
  static Result<std::shared_ptr<Node>> open(const NodeOptions& options);
  // Without close(), peers see this node as lost.
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Result<Tables::Entry> open_table(const TableSpec& spec);
  Result<> barrier();
  Result<> close();

  NodeId self() const { return options_.self; }
  std::int64_t nodes() const { return options_.nodes; }
  Metrics& metrics() { return metrics_; }

  // Only its thread-safe functions.
  const Router& router() const { return core_.router(); }
  const PartitionMap& map() const { return core_.map(); }
  TicketId reserve() { return core_.waits().reserve(); }
  // Sends the requests of a ticket for rows that are not here, when the peers have room for them.
  // False, with nothing sent: a row is or was on its way here; look for it again. Not with
  // `from_home`: then rows are wanted as their homes have them, whatever is here.
  Result<bool> send(TicketId ticket, Purpose purpose, const Tables::Entry& table,
                    std::span<const Key> keys, std::uint32_t row_length,
                    std::vector<OutgoingRequest>& requests, bool from_home = false);
  // Groups the keys at some positions, which were not found here, by where they are asked for; and
  // calls use(positions) for those that are here after all, or owned and never touched, while they
  // cannot leave.
  template <class Use>
  Result<> locate(const Tables::Entry& table, std::span<const Key> keys,
                  std::span<const std::uint32_t> some, KeySplit& split, Use&& use)
      GODWIT_EXCLUDES(mutex_);
  // Overwrites rows. True if the ticket is to be waited for.
  Result<bool> set_rows(const Tables::Entry& table, TicketId ticket, PushMode mode,
                        std::span<const Key> keys, std::span<const float> values);
  // Ticks of workers (node_ticks.cc). A worker of this node begins, in the tick that comes back.
  Result<Tick> begin_worker(WorkerId id, LeaseSchedule& schedule);
  // `lost`: why its last changes could not be sent, if they could not.
  void end_worker(LeaseSchedule& schedule, const std::optional<Error>& lost);
  // Sends what a worker has changed in bsp tables in its tick, before that ends. On an error
  // nothing is sent.
  Result<> send_changes(WorkerId worker, Tick tick,
                        const std::map<TableId, std::unique_ptr<TickLog>>& logs);
  // Its tick is `tick` from now on. Waits until others are close enough.
  Result<> advance(LeaseSchedule& schedule, Tick tick);
  // Whether there is a table whose reads may not be older than some ticks.
  bool is_bounded() const { return tables_.staleness().has_value(); }
  // What must be in the rows of a bounded table that are read in this tick. Thread-safe.
  Tick needed(const Consistency& consistency, Tick read_in) const {
    return needed_to_read(read_in, tables_.staleness_of(consistency));
  }
  // Returns when all changes of ticks up to `need` are in the rows, for a worker that is to read.
  Result<> wait_until_stable(LeaseSchedule& schedule, Tick need);
  // A worker says how good its results are (godwit/worker.h).
  void note_objective(double value);
  // Rows of a bounded table were pushed to; REQUIRES: more than one node.
  void note_pushed(TableId table, std::span<const Key> keys);

  // Steps (node_steps.cc). The contracts are those of Session and Worker.
  Result<> begin_steps(const StepOptions& options, std::span<const WorkerId> workers);
  void stop_steps();
  StepReport take_step_report();
  Result<StepOrder> await_step(WorkerId worker);
  Result<> send_step(const StepResult& result, std::span<const TableSums> sums);
  std::shared_ptr<const std::atomic<std::uint64_t>> over_below();
  // Lost nodes, as all know it since the last barrier.
  std::vector<NodeId> absent();

  // Groups (node_groups.cc). The contracts are those of Session and Worker.
  Result<GroupsView> join_group(const GroupPlace& place);
  void report_progress(std::int64_t step);
  void leave_group();
  GroupsView groups();
  // Writes and sends the requests of an exchange, of which `target` knows the table. What comes
  // back is to be waited for.
  Result<TicketId> exchange(ExchangeCall& call, ExchangeCall::Target target,
                            const ExchangeOptions& options, std::span<const Key> keys,
                            std::span<float> values, ExchangeMemory& memory);

  // Leases of a worker (node_leases.cc). REQUIRES: more than one node.
  void add_lease(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease);
  Result<> open_lease(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease);
  void close_lease(LeaseState& lease);
  // Whether the row is here, or owned here and never touched: asks nobody. Thread-safe.
  bool is_local(const Tables::Entry& table, Key key) GODWIT_EXCLUDES(mutex_);
  // Begins a lease on those of its keys that are local, which then is ready. The others are taken
  // out of it; what comes back is their positions, in order. Nothing is sent.
  Result<Missed> lease_local(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease);
  // A row of which there are copies was changed here: they get to know.
  void note_touched();
  // Brings the metrics up to date that the state machine counts.
  void count();
  // Returns when all that was changed here before is applied at the owners; kRefresh: and guests
  // are as they were there, at some time since.
  Result<> flush(Flush kind);

  // What a checkpoint needs (node_cut.cc). Where the workers of this node are:
  struct WorkerPlaces {
    bool has_bsp = false;  // there is a bsp table; the rest is about that
    bool has_workers = false;
    Tick slowest = kNoTick;  // of those that there are
    Tick fastest = kNoTick;
    Tick last = kNoTick;  // that any was ever in
  };
  WorkerPlaces worker_places();
  Result<> wait_until_stable(Tick need);
  // Whether there are changes of bsp tables here that wait for the end of their tick.
  bool has_unapplied();
  // While it is on, no row that is owned here gets another owner.
  void keep_rows_in_place(bool on);
  struct Moves {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
  };
  Moves moves();
  // Of the rows that this node owns and somebody has touched, in rising order. They stay true while
  // rows are kept in place.
  std::vector<Key> owned_keys(const Tables::Entry& table);
  // All tables, in the order of their ids.
  std::vector<Tables::Entry> all_tables() const;
  NodeId home(const Tables::Entry& table, Key key) const { return core_.map().home(table.id, key); }
  // Rows of a table that is used by nobody's leases: they are at home. REQUIRES: keys in range.
  Result<> pull_from_home(const Tables::Entry& table, std::span<const Key> keys,
                          std::span<float> values);
  const std::shared_ptr<Disk>& disk() const { return disk_; }
  const Log& log() const { return log_; }

  // What `godwit status` asks (node_status.cc): a line of JSON, with "error" if it cannot be said.
  std::string answer(std::string_view question);

  // Blocks until the ticket is done, and ends it.
  Result<Waits::Outcome> wait(TicketId ticket);

 private:
  class Waiter;
  // Hands the state machine's frames to the transport, once there is one.
  class Sender final : public FrameSink {
   public:
    explicit Sender(Metrics& metrics)
        : frames_(metrics.counter("sent.frames").make_cell()),
          bytes_(metrics.counter("sent.bytes").make_cell()) {}
    SendStatus send(NodeId peer, FramePtr frame) override;
    Transport* transport = nullptr;

   private:
    CounterCell* const frames_;  // both are written under the node's lock
    CounterCell* const bytes_;
  };

  explicit Node(const NodeOptions& options);
  Result<> join();
  // Whether a peer may connect in this life of it.
  Result<> admit(NodeId peer, Incarnation life) GODWIT_EXCLUDES(mutex_);
  Result<> open_late_door(const std::vector<Peer>& peers, Incarnation incarnation);
  void leave_network(Duration linger);

  void on_up(NodeId peer, Incarnation incarnation) override;
  void on_frame(NodeId peer, FramePtr frame) override;
  void on_room(NodeId peer) override;
  void on_down(NodeId peer, const Error& why) override;
  void on_done(TicketId ticket) override;

  // What is to be done once the lock is free, since who wakes up will want it.
  struct Aftermath {
    std::vector<Waiter*> to_wake;
    bool is_room_awaited = false;
    Time timer = Time::max();  // to be armed
  };
  Aftermath take_aftermath() GODWIT_REQUIRES(mutex_);
  void act_on(const Aftermath& after) GODWIT_EXCLUDES(mutex_);
  // fn() on the state machine, under its lock; then wakes who waited for what it did.
  template <class Fn>
  void with_core(Fn&& fn) GODWIT_EXCLUDES(mutex_) {
    Aftermath after;
    {
      const MutexLock lock(mutex_);
      fn();
      after = take_aftermath();
    }
    act_on(after);
  }
  bool is_local_now(RowId id, const TableRows& rows) const;  // under the lock
  // These two under the lock.
  void start(LeaseSchedule& schedule, const LeaseSchedule::LeasePtr& lease, Time now);
  void advance_leases(LeaseSchedule& schedule, Tick tick, Time now);
  enum class WaitFor : std::uint8_t { kTick, kRead };
  void count_lag(Tick tick);
  void look_at_auto(Tick tick);
  std::optional<Tick> need_of(const LeaseState& lease, Tick read_in) const;
  // What to wait for until a tick is stable; nothing if it is.
  std::optional<TicketId> await_stable(Tick need);
  Result<> wait_until_stable(LeaseSchedule& schedule, Tick need, WaitFor what);
  Result<> wait_bounded(LeaseSchedule& schedule, TicketId ticket, WaitFor what);
  // Leases that are held over a tick are read in the next one; those that are open and not fresh
  // enough for that come back.
  std::vector<LeaseSchedule::LeasePtr> look_at_held(LeaseSchedule& schedule, Time now);
  bool end(LeaseState& lease, Time now);  // true: nothing is to be sent or waited for by that
  void fire_timer(Time armed_for);
  Result<> wait_for_row(RowId id, bool until_applied, MutexLock& lock) GODWIT_REQUIRES(mutex_);
  Result<> wait_done(TicketId ticket);
  Time timer_without_loop();
  void run_timer_without_loop();
  Result<> wait_for_room(NodeId peer, MutexLock& lock) GODWIT_REQUIRES(mutex_);
  Error timeout_error(TicketId ticket);

  void open_status_socket();
  std::string status_text();
  Result<std::string> key_text(std::string_view arguments);
  void write_waits(JsonText& json, Time now) GODWIT_REQUIRES(mutex_);
  void write_leases(JsonText& json, RowId id) GODWIT_REQUIRES(mutex_);

  const NodeOptions options_;
  const std::shared_ptr<Disk> disk_;
  const RealTime time_;
  const Time opened_ = time_.now();
  Log log_;
  Metrics metrics_;
  HoldTimes holds_{time_};
  Tables tables_;

  Mutex mutex_;
  Sender sender_;
  NodeCore core_;  // guarded by mutex_, except what is thread-safe in it
  std::map<TicketId, Waiter*> waiters_ GODWIT_GUARDED_BY(mutex_);
  std::vector<Waiter*> to_wake_ GODWIT_GUARDED_BY(mutex_);
  CondVar room_;
  int waiting_for_room_ GODWIT_GUARDED_BY(mutex_) = 0;
  Time timer_armed_ = Time::max();           // under the lock
  Time now_;                                 // when a worker last advanced; under the lock
  bool has_come_back_ = false;               // others had lost it when it began
  std::atomic<bool> is_in_group_{false};     // others do not wait for it at barriers any more
  std::atomic<Time::rep> progress_from_{0};  // when progress is next told, in ticks of Time
  struct WorkerPlace {
    WorkerId id;
    const LeaseSchedule* schedule;
  };
  std::vector<WorkerPlace> workers_;  // under the lock

  // Of jobs with more than one node. The order matters: the loop outlives the transport.
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<DelayingTransport> slow_;  // only if options say so
  std::unique_ptr<SocketTransport> transport_;
  std::unique_ptr<LateDoor> door_;      // of node 0, where nodes may come back
  std::unique_ptr<LineServer> status_;  // none if the system refuses
  std::jthread loop_thread_;

  CounterCell* const late_leases_;  // these are written under the lock
  CounterCell* const missed_keys_;
  CounterCell* const lease_waits_;
  CounterCell* const lease_wait_us_;
  // Of bounded tables.
  CounterCell* const advance_wait_us_;
  CounterCell* const read_wait_us_;
  AutoWindows auto_;                  // under the lock
  std::array<CounterCell*, 5> lags_;  // ticks that began 0, 1, 2, 3 to 4, or more ticks ahead
};

template <class Use>
Result<> Node::locate(const Tables::Entry& table, std::span<const Key> keys,
                      std::span<const std::uint32_t> some, KeySplit& split, Use&& use) {
  const auto is_at_home = [&](std::uint32_t position) {
    return core_.map().home(table.id, keys[position]) == self();
  };
  if (std::none_of(some.begin(), some.end(), is_at_home)) {
    split.by(keys, some, nodes(), [&](Key key) { return core_.map().home(table.id, key); });
    return {};
  }
  const MutexLock lock(mutex_);
  split.by(keys, some, nodes(), [&](Key key) {
    const RowId id{table.id, key};
    if (table.rows->is_there(key) || core_.shared().owns(id)) return self();
    return core_.shared().next_hop(id, false, 0).node;
  });
  const auto here = split.of(self());
  return here.empty() ? Result<>() : use(here);
}

}  // namespace godwit
