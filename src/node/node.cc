// node/node.cc: joins, feeds the state machine, blocks and wakes.
#include "node/node.h"

#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/json_text.h"
#include "base/try.h"
#include "net/rendezvous.h"

namespace godwit {
namespace {

// How often a long wait says what it waits for.
constexpr Duration kSayCauseEvery = std::chrono::seconds(5);
// How long a node that has said goodbye stays for the receipts of it.
constexpr Duration kLinger = std::chrono::seconds(2);
// Of how many threads a status says what they wait for.
constexpr std::size_t kWaitsToldMax = 16;

Incarnation new_incarnation() {
  std::uint64_t bits = 0;
  const auto got = ::getrandom(&bits, sizeof(bits), 0);
  GODWIT_CHECK_EQ(got, static_cast<ssize_t>(sizeof(bits)));
  return Incarnation{static_cast<std::int64_t>(bits >> 1 | 1)};
}

}  // namespace

// One blocked thread. It helps the loop while it waits, unless another one does.
class Node::Waiter {
 public:
  explicit Waiter(EventLoop* loop) : loop_(loop) {}

  Time begun;  // guarded by the node's lock

  void wake() GODWIT_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    is_woken_ = true;
    // Under the lock: the waiter lives on the stack of the thread that this lets go on.
    if (!is_helping_) {
      condition_.notify_one();
    } else if (thread_ != std::this_thread::get_id()) {
      loop_->wake_helper();
    }
  }

  bool wait_until(Time deadline) GODWIT_EXCLUDES(mutex_) {
    if (loop_ != nullptr && loop_->begin_help()) {
      const bool is_woken = help_until(deadline);
      loop_->end_help();
      if (is_woken) return true;
    }
    MutexLock lock(mutex_);
    return condition_.wait_until(lock, deadline,
                                 [this]() GODWIT_REQUIRES(mutex_) { return is_woken_; });
  }

 private:
  bool help_until(Time deadline) GODWIT_EXCLUDES(mutex_) {
    for (bool may_help = true;;) {
      {
        const MutexLock lock(mutex_);
        is_helping_ = may_help && !is_woken_;
        if (!is_helping_) return is_woken_;
      }
      may_help = loop_->help(deadline) && loop_->now() < deadline;
    }
  }

  EventLoop* const loop_;  // none in a job of one node
  const std::thread::id thread_ = std::this_thread::get_id();
  Mutex mutex_;
  CondVar condition_;
  bool is_woken_ GODWIT_GUARDED_BY(mutex_) = false;
  bool is_helping_ GODWIT_GUARDED_BY(mutex_) = false;
};

SendStatus Node::Sender::send(NodeId peer, FramePtr frame) {
  if (transport == nullptr) return SendStatus::kDown;
  const std::size_t bytes = frame->size();
  const SendStatus status = transport->send(peer, std::move(frame));
  if (status == SendStatus::kTaken) {
    frames_->add(1);
    bytes_->add(bytes);
  }
  return status;
}

Node::Node(const NodeOptions& options)
    : options_(options),
      disk_(options.disk != nullptr ? options.disk : std::make_shared<RealDisk>()),
      log_(Log::to_stderr(
          {.name = fmt::format("node {}", options.self.value()), .level = LogLevel::kWarn})),
      tables_(options.memory_bytes_max, 1.0 / static_cast<double>(options.nodes), &holds_),
      sender_(metrics_),
      core_({.self = options.self,
             .nodes = options.nodes,
             .servers = options.servers,
             .workers = options.workers,
             .rejoin_within = options.rejoin_within,
             .group_patience = options.group_patience,
             .wait_max = options.wait_max,
             .liveness = options.liveness},
            tables_, sender_, *this, time_.now()),
      late_leases_(metrics_.counter("lease.late").make_cell()),
      missed_keys_(metrics_.counter("lease.missed_keys").make_cell()),
      lease_waits_(metrics_.counter("lease.waits").make_cell()),
      lease_wait_us_(metrics_.counter("lease.wait_us").make_cell()),
      advance_wait_us_(metrics_.counter("clock.advance_wait_us").make_cell()),
      read_wait_us_(metrics_.counter("clock.read_wait_us").make_cell()),
      lags_{metrics_.counter("clock.lag_0").make_cell(),
            metrics_.counter("clock.lag_1").make_cell(),
            metrics_.counter("clock.lag_2").make_cell(),
            metrics_.counter("clock.lag_to_4").make_cell(),
            metrics_.counter("clock.lag_over_4").make_cell()} {}

Result<std::shared_ptr<Node>> Node::open(const NodeOptions& options) {
  if (options.nodes < 1 || options.nodes > static_cast<std::int64_t>(kPartitions)) {
    return invalid_argument("a job of {} nodes: there must be 1 to {}", options.nodes, kPartitions);
  }
  if (options.self.value() < 0 || options.self.value() >= options.nodes) {
    return invalid_argument("node {} of a job of {} nodes: nodes are numbered from 0",
                            options.self.value(), options.nodes);
  }
  if (options.servers < 0 || options.servers > options.nodes) {
    return invalid_argument("{} servers in a job of {} nodes", options.servers, options.nodes);
  }
  if (options.rejoin_within > Duration::zero() && options.servers < 1) {
    return invalid_argument("nodes may come back only in a job with servers, but there are {}",
                            options.servers);
  }
  std::shared_ptr<Node> node(new Node(options));  // NOLINT: the constructor is private
  if (options.nodes > 1) GODWIT_TRY(node->join());
  return node;
}

Result<> Node::join() {
  const Incarnation incarnation = new_incarnation();
  GODWIT_TRY_ASSIGN(loop_, EventLoop::make());
  TransportEvents& self = *this;  // a private base, known only here
  if (options_.link) slow_ = std::make_unique<DelayingTransport>(*loop_, *options_.link, self);
  TransportEvents& events = slow_ != nullptr ? *slow_ : self;
  SocketTransportOptions sockets{.self = options_.self,
                                 .incarnation = incarnation,
                                 .job = options_.job,
                                 .tcp_address = options_.tcp_address,
                                 .unix_socket = options_.unix_socket};
  sockets.admit = [this](NodeId peer, Incarnation life) { return admit(peer, life); };
  transport_ = std::make_unique<SocketTransport>(*loop_, std::move(sockets), events, log_);
  GODWIT_TRY(transport_->listen());
  GODWIT_TRY_ASSIGN(std::vector<Peer> peers, rendezvous({.address = options_.rendezvous,
                                                         .self = options_.self,
                                                         .nodes = options_.nodes,
                                                         .incarnation = incarnation,
                                                         .job = options_.job,
                                                         .endpoint = transport_->endpoint(),
                                                         .deadline = options_.join_within},
                                                        log_));
  GODWIT_TRY(open_late_door(peers, incarnation));
  std::erase_if(peers, [this](const Peer& peer) { return !core_.members().is_peer(peer.node); });
  if (slow_ != nullptr) slow_->attach(*transport_);
  GODWIT_TRY(transport_->start(peers));
  sender_.transport = slow_ != nullptr ? static_cast<Transport*>(slow_.get()) : transport_.get();
  open_status_socket();
  loop_thread_ = std::jthread([this] {
    fire_timer(Time::max());
    loop_->run();
  });
  GODWIT_TRY(barrier());
  const std::vector<NodeId> lost = absent();
  has_come_back_ = std::find(lost.begin(), lost.end(), options_.self) != lost.end();
  return {};
}

Node::~Node() {
  leave_network(Duration::zero());
}

void Node::leave_network(Duration linger) {
  if (loop_ == nullptr) return;
  loop_->stop();
  if (loop_thread_.joinable()) loop_thread_.join();
  status_.reset();
  door_.reset();
  if (slow_ != nullptr) {
    loop_->run_until(loop_->now() + linger, [this] { return slow_->is_idle(); });
  }
  if (transport_ != nullptr) transport_->close(linger);
}

Node::Aftermath Node::take_aftermath() {
  Aftermath after;
  after.to_wake.swap(to_wake_);
  after.is_room_awaited = waiting_for_room_ > 0;
  if (loop_ == nullptr) return after;
  if (const Time next = core_.next_timer(); next < timer_armed_) after.timer = timer_armed_ = next;
  return after;
}

void Node::act_on(const Aftermath& after) {
  for (Waiter* waiter : after.to_wake) waiter->wake();
  if (after.is_room_awaited) room_.notify_all();
  if (after.timer == Time::max()) return;
  loop_->post([this, at = after.timer] { loop_->call_at(at, [this, at] { fire_timer(at); }); });
}

void Node::fire_timer(Time armed_for) {
  with_core([&] {
    if (timer_armed_ != armed_for) return;  // another was set for an earlier time since
    timer_armed_ = Time::max();
    core_.on_timer(time_.now());
    core_.note_round_end(time_.now());
  });
}

void Node::on_up(NodeId peer, Incarnation incarnation) {
  with_core([&] { core_.on_up(peer, incarnation, time_.now()); });
}

void Node::on_frame(NodeId peer, FramePtr frame) {
  with_core([&] { core_.on_frame(peer, frame, time_.now()); });
}

void Node::on_room(NodeId peer) {
  with_core([&] { core_.on_room(peer); });
}

void Node::on_down(NodeId peer, const Error& why) {
  with_core([&] { core_.on_down(peer, why, time_.now()); });
}

// Called from inside the state machine, so the lock is held.
void Node::on_done(TicketId ticket) GODWIT_NO_THREAD_SAFETY_ANALYSIS {
  const auto place = waiters_.find(ticket);
  if (place == waiters_.end()) return;
  to_wake_.push_back(place->second);
  waiters_.erase(place);
}

Result<> Node::wait_for_room(NodeId peer, MutexLock& lock) {
  const Time deadline = time_.now() + options_.wait_max;
  ++waiting_for_room_;
  const bool room = room_.wait_until(
      lock, deadline, [&] { return core_.links().has_room(peer) || core_.failure().has_value(); });
  --waiting_for_room_;
  if (room) return {};
  return timeout("no room for more requests to {} within {}",
                 core_.members().describe(peer, time_.now()), options_.wait_max);
}

Result<> Node::wait_done(TicketId ticket) {
  Waiter waiter(loop_.get());
  {
    const MutexLock lock(mutex_);
    if (core_.waits().is_done(ticket)) return {};
    waiters_[ticket] = &waiter;
    waiter.begun = time_.now();
  }
  const Time begin = waiter.begun;
  const Time deadline = begin + options_.wait_max;
  Time next_word = begin + kSayCauseEvery;
  while (!waiter.wait_until(std::min({deadline, next_word, timer_without_loop()}))) {
    run_timer_without_loop();
    const Time now = time_.now();
    const MutexLock lock(mutex_);
    if (core_.waits().is_done(ticket)) {
      next_word = Time::max();  // it is being woken up right now
      continue;
    }
    if (now < std::min(deadline, next_word)) continue;
    if (now >= deadline) {
      waiters_.erase(ticket);
      const Error error = timeout("waited {}: {}", now - begin, core_.describe(ticket, now));
      core_.waits().abandon(ticket);
      return error;
    }
    log_.warn("waiting for {}: {}", now - begin, core_.describe(ticket, now));
    next_word += kSayCauseEvery;
  }
  return {};
}

// A node alone has no thread that looks at the time: who waits does.
Time Node::timer_without_loop() {
  if (loop_ != nullptr) return Time::max();
  const MutexLock lock(mutex_);
  return core_.next_timer();
}

void Node::run_timer_without_loop() {
  if (timer_without_loop() > time_.now()) return;
  with_core([&] { core_.on_timer(time_.now()); });
}

void Node::write_waits(JsonText& json, Time now) {
  json.key("waits").begin_array();
  std::size_t left = kWaitsToldMax;
  for (const auto& [ticket, waiter] : waiters_) {
    if (left-- == 0) break;
    json.begin_object().field("what", core_.describe(ticket, now));
    json.field("seconds", std::chrono::duration<double>(now - waiter->begun).count()).end_object();
  }
  json.end_array();
  json.field("threads_waiting", waiters_.size() + static_cast<std::size_t>(waiting_for_room_));
}

Result<Waits::Outcome> Node::wait(TicketId ticket) {
  GODWIT_TRY(wait_done(ticket));
  const MutexLock lock(mutex_);
  Waits::Outcome outcome = core_.waits().take(ticket);
  if (outcome.error) return std::move(*outcome.error);
  return outcome;
}

Result<Tables::Entry> Node::open_table(const TableSpec& spec) {
  GODWIT_TRY(spec.validate());
  const TicketId ticket = reserve();
  with_core([&] { core_.open_table(ticket, spec); });
  GODWIT_TRY(wait(ticket));
  GODWIT_TRY_ASSIGN(const auto entry, tables_.find(spec));
  // One that has come back was told to make it, and may have no memory for it.
  if (!entry) return out_of_memory("node {} could not make table '{}'", self().value(), spec.name);
  return *entry;
}

Result<> Node::barrier() {
  if (is_in_group_) {
    return invalid_argument(
        "node {} is a rank of a group: where ranks may come back, only table nodes meet once the "
        "groups work",
        self().value());
  }
  if (loop_ != nullptr) GODWIT_TRY(flush(Flush::kChanges));
  const TicketId ticket = reserve();
  bool has_leases = false;
  with_core([&] {
    core_.enter_barrier(ticket);
    has_leases = core_.wanted().size() > 0;
  });
  GODWIT_TRY(wait(ticket));
  // What all have changed until now is seen in rows that are here, too.
  return has_leases ? flush(Flush::kRefresh) : Result<>();
}

Result<> Node::close() {
  if (loop_ == nullptr) return {};
  const auto flushed = flush(Flush::kChanges);  // if that fails, the job has
  const TicketId ticket = reserve();
  with_core([&] { core_.say_bye(ticket); });
  const auto goodbye = wait(ticket);
  leave_network(kLinger);
  std::optional<Error> failure;
  {
    const MutexLock lock(mutex_);
    failure = core_.failure();
  }
  if (failure) return std::move(*failure);
  if (!flushed.ok()) return flushed.error();
  if (!goodbye.ok()) return goodbye.error();
  return {};
}

}  // namespace godwit
