// sim/clock_node.cc: the workers' scripts and the checks of what they read.
#include "sim/clock_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "clock/staleness.h"

namespace godwit::sim {
namespace {

NodeCoreOptions core_options(const ClockScenario& scenario, NodeId self, Prng& prng) {
  NodeCoreOptions options{.self = self,
                          .nodes = scenario.nodes,
                          .workers = scenario.workers_expected(self.value()),
                          .rounds_by_timer = false};
  options.liveness.lost_after = std::chrono::hours(1);
  options.liveness.expel_after = std::chrono::hours(1);
  options.links.receipt_every_frames = 1 + prng.below(40);
  options.linger_min = std::chrono::microseconds(prng.below(3000));
  return options;
}

}  // namespace

ClockNode::ClockNode(ClockWorld& world, NodeId self, Prng prng)
    : CoreHost(world.network(), self, prng,
               [&](Prng& own) { return core_options(world.scenario(), self, own); }),
      world_(world) {
  const ClockScenario& scenario = world.scenario();
  for (std::size_t i = 0; i < scenario.workers.size(); ++i) {
    if (scenario.workers[i].node != self.value()) continue;
    auto worker = std::make_unique<Worker>();
    worker->number = i;
    worker->id = WorkerId{static_cast<std::int64_t>(workers_.size())};
    worker->plan = scenario.workers[i];
    worker->seen.resize(scenario.keys * scenario.workers.size());
    worker->added.resize(scenario.keys);
    workers_.push_back(std::move(worker));
  }
}

ClockNode::~ClockNode() = default;

void ClockNode::start() {
  look();
  run_rounds();
  world_.network().after(self_, Duration(1), [this] {
    scripts_.push_back(run());
    scripts_.back().begin();
  });
}

void ClockNode::on_error(const Error& error) {
  world_.fail(fmt::format("node {} was told: {}", self_.value(), error.message()));
}

void ClockNode::run_rounds() {
  const auto most = static_cast<std::uint64_t>(world_.scenario().round_max.count());
  world_.network().after(self_, Duration(20'000 + prng_.below(most)), [this] {
    constexpr std::array kFlushes{Flush::kChanges, Flush::kRefresh};
    const std::uint64_t draw = prng_.below(32);
    core_.round(now(), draw < kFlushes.size() ? kFlushes[draw] : Flush::kNone);
    if (!world_.violation()) run_rounds();
  });
}

Script ClockNode::run() {
  const TicketId opened = reserve();
  core_.open_table(opened, world_.scenario().table_spec());
  co_await done(opened);
  const auto entry = tables_.find(world_.scenario().table_spec()).value();
  rows_ = entry->rows;
  table_ = entry->id;
  for (const auto& worker : workers_) worker->log = std::make_unique<TickLog>(*rows_);
  for (const auto& worker : workers_) scripts_.push_back(work(*worker));
  for (std::size_t i = 1; i < scripts_.size(); ++i) scripts_[i].begin();
  const auto has_ended = [](const auto& worker) { return worker->at == std::string("ended"); };
  while (!std::all_of(workers_.begin(), workers_.end(), has_ended)) {
    co_await pause(std::chrono::milliseconds(1));
  }
  const TicketId barrier = reserve();
  core_.enter_barrier(barrier);
  co_await done(barrier);
  while (!world_.is_settled()) co_await pause(std::chrono::milliseconds(1));
  const TicketId bye = reserve();
  core_.say_bye(bye);
  co_await done(bye);
  is_finished_ = true;
}

Script ClockNode::work(Worker& worker) {
  const ClockWorkerPlan& plan = worker.plan;
  if (!plan.is_expected) co_await pause(plan.begins_after);
  const TicketId begun = reserve();
  core_.begin_worker(begun, worker.id, now());
  co_await done(begun);
  worker.tick = core_.clocks().tick_of(worker.id);
  if (!plan.is_expected) world_.check_start(worker.number, worker.tick);
  co_await pass_gate(worker);
  for (std::int64_t i = 0; i < plan.ticks && !world_.violation(); ++i) {
    worker.at = "pause";
    co_await pause(prng_.below(16) < plan.stalls ? plan.step_max * 10 : plan.step_max);
    co_await do_tick(worker);
    co_await end_tick(worker);
  }
  co_await wait_for_pushes(worker);
  for (const auto& held : worker.leases) end_lease(held->rows);
  worker.leases.clear();
  if (is_bsp()) send_bsp(worker);
  world_.note_ended(worker.number, std::nullopt);
  core_.end_worker(worker.id, now());
  look();
  worker.at = "ended";
}

Script ClockNode::pass_gate(Worker& worker) {
  const Tick need = needed_to_begin(worker.tick, world_.scenario().staleness);
  if (core_.clocks().stable() < need) {
    const TicketId begun = reserve();
    core_.wait_until_stable(begun, need);
    worker.at = "begin of a tick";
    const Time since = now();
    co_await done(begun);
    world_.note_wait(now() - since);
  }
  world_.note_begun(worker.number, worker.tick);
}

Script ClockNode::do_tick(Worker& worker) {
  const std::uint64_t operations = 1 + prng_.below(world_.scenario().operations_max);
  for (std::uint64_t i = 0; i < operations && !world_.violation(); ++i) {
    if (prng_.below(16) < worker.plan.reads) {
      co_await read(worker);
    } else if (prng_.below(16) < worker.plan.leases) {
      make_lease(worker);
      co_await use_leases(worker);
    } else if (is_bsp()) {
      push_bsp(worker);
    } else {
      co_await push(worker);
    }
  }
}

Script ClockNode::end_tick(Worker& worker) {
  std::erase_if(worker.leases, [&](const std::unique_ptr<Held>& held) {
    if (held->last.value() <= worker.tick.value() + 1 || prng_.below(16) == 0) {
      end_lease(held->rows);
      return true;
    }
    if (held->is_open && held->rows.is_write) core_.leases().note_written(held->rows);
    return false;
  });
  if (is_bsp()) send_bsp(worker);
  worker.tick = Tick{worker.tick.value() + 1};
  world_.note_ended(worker.number, worker.tick);
  core_.advance(worker.id, worker.tick, now());
  look();
  co_await pass_gate(worker);
  for (const auto& held : worker.leases) {
    const bool is_settled = core_.leases().set_need(held->rows, needed(worker, *held), now());
    if (held->is_open && !is_settled) co_await settle(worker, held->rows);
  }
}

Tick ClockNode::needed(const Worker& worker, const Held& held) const {
  const Tick read_in = held.is_open ? worker.tick : std::max(worker.tick, held.first);
  return needed_to_read(read_in, world_.scenario().staleness);
}

void ClockNode::make_lease(Worker& worker) {
  auto held = std::make_unique<Held>();
  held->first = Tick{worker.tick.value() + static_cast<std::int64_t>(prng_.below(3))};
  held->last = Tick{held->first.value() + 1 + static_cast<std::int64_t>(prng_.below(3))};
  held->rows.table = table_;
  held->rows.rows = rows_;
  held->rows.keys = draw_keys();
  held->rows.is_write = prng_.below(4) != 0;
  held->rows.need = needed(worker, *held);
  core_.leases().acquire(held->rows, now());
  core_.leases().send(now());
  worker.leases.push_back(std::move(held));
}

Script ClockNode::use_leases(Worker& worker) {
  for (const auto& held : worker.leases) {
    const bool is_early = worker.tick < held->first;
    if (prng_.below(is_early ? 8 : 2) != 0) continue;
    held->is_open = true;
    core_.leases().set_need(held->rows, needed(worker, *held), now());
    co_await settle(worker, held->rows);
    if (is_bsp()) {
      write_bsp(worker, held->rows);
      continue;
    }
    for (std::size_t i = 0; i < held->rows.keys.size(); ++i) {
      float* const row = held->rows.refs[i].row;
      check_row(worker, held->rows.keys[i], row);
      if (!held->rows.is_write) continue;
      world_.ledger().issued(worker.number, held->rows.keys[i], worker.tick);
      row[worker.number] += world_.take_canary() ? 0.0F : 1.0F;
      row[world_.scenario().workers.size() + worker.number] += ClockLedger::weight(worker.tick);
      ++worker.added[held->rows.keys[i]];
    }
  }
}

Script ClockNode::settle(Worker& worker, LeaseRows& rows) {
  if (core_.leases().settle(rows)) co_return;
  const TicketId settled = reserve();
  core_.leases().wait(rows, settled, now());
  worker.at = "lease";
  co_await done(settled);
  if (!core_.leases().settle(rows)) world_.fail("a lease may be read before its rows are fresh");
}

void ClockNode::end_lease(LeaseRows& rows) {
  core_.leases().release(rows, now());
  if (prng_.below(2) == 0) core_.leases().send(now());
}

Script ClockNode::read(Worker& worker) {
  LeaseRows rows{.table = table_, .rows = rows_, .keys = draw_keys(), .is_write = false};
  rows.need = needed_to_read(worker.tick, world_.scenario().staleness);
  core_.leases().acquire(rows, now());
  core_.leases().send(now());
  co_await settle(worker, rows);
  for (std::size_t i = 0; i < rows.keys.size() && !world_.violation(); ++i) {
    if (is_bsp()) {
      look_at(worker, rows, i);
    } else {
      check_row(worker, rows.keys[i], rows.refs[i].row);
    }
  }
  end_lease(rows);
}

bool ClockNode::is_here(Key key) const {
  return rows_->is_there(key) || core_.shared().owns({table_, key});
}

bool ClockNode::must_wait(const std::vector<Key>& keys) const {
  return std::any_of(keys.begin(), keys.end(), [this](Key key) {
    return !is_here(key) && core_.must_wait({table_, key});
  });
}

Script ClockNode::push(Worker& worker) {
  const std::vector<Key> keys = draw_keys();
  worker.at = "push";
  while (must_wait(keys)) co_await pause(std::chrono::microseconds(100));
  const std::uint32_t length = rows_->spec().row_length;
  std::vector<float> ones(keys.size() * length);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    float* const row = ones.data() + i * length;
    row[worker.number] = world_.take_canary() ? 0.0F : 1.0F;
    row[world_.scenario().workers.size() + worker.number] = ClockLedger::weight(worker.tick);
    world_.ledger().issued(worker.number, keys[i], worker.tick);
  }
  KeySplit groups;
  groups.by(keys, world_.scenario().nodes, [&](Key key) {
    return is_here(key) ? self_ : core_.shared().next_hop({table_, key}, false, 0).node;
  });
  const TicketId pushed = reserve();
  auto outgoing = core_.router().write_pushes(pushed, table_, PushMode::kPush, keys, ones, length,
                                              groups.groups());
  std::vector<Key> elsewhere;
  RowScratch scratch;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!is_here(keys[i])) {
      elsewhere.push_back(keys[i]);
      continue;
    }
    rows_->push({&keys[i], 1}, std::span(ones).subspan(i * length, length), scratch).value();
  }
  core_.leases().note_pushed(table_, keys);
  core_.send(pushed, {"push", keys.size()}, table_, elsewhere, 0, std::move(outgoing));
  worker.under_way.push_back({pushed, keys});
  if (prng_.below(3) != 0) co_await wait_for_pushes(worker);
}

Script ClockNode::wait_for_pushes(Worker& worker) {
  worker.at = "wait for pushes";
  for (const Worker::Pushed& pushed : std::exchange(worker.under_way, {})) {
    co_await done(pushed.ticket);
    for (const Key key : pushed.keys) ++worker.added[key];
  }
}

void ClockNode::check_row(Worker& worker, Key key, const float* row) {
  const ClockLedger& ledger = world_.ledger();
  const std::size_t workers = world_.scenario().workers.size();
  const Tick floor = needed_to_read(worker.tick, world_.scenario().staleness);
  world_.note_read();
  for (std::size_t other = 0; other < workers; ++other) {
    const auto value = static_cast<std::int64_t>(row[other]);
    float& seen = worker.seen[key * workers + other];
    const auto complain = [&](const std::string& what) {
      world_.fail(fmt::format("worker {} in tick {} read {} of worker {} in row {}, {}",
                              worker.number, worker.tick.value(), value, other, key, what));
    };
    if (const auto least = ledger.through(other, key, floor); value < least) {
      complain(fmt::format("but {} are of ticks up to {}", least, floor.value()));
    } else if (other == worker.number && value < worker.added[key]) {
      complain(fmt::format("but it has added {} itself", worker.added[key]));
    } else if (value > ledger.total(other, key)) {
      complain(fmt::format("but only {} were added", ledger.total(other, key)));
    } else if (row[other] < seen) {
      complain(fmt::format("after it had read {}", seen));
    } else if (const float weight = ledger.weight_of_first(other, key, value);
               row[workers + other] != weight) {
      complain(fmt::format("but these weigh {} and not {}: an earlier tick is missing",
                           row[workers + other], weight));
    }
    seen = std::max(seen, row[other]);
  }
}

std::vector<Key> ClockNode::draw_keys() {
  std::vector<Key> keys(1 + prng_.below(world_.scenario().batch_max));
  for (Key& key : keys) key = prng_.below(world_.scenario().keys);
  return keys;
}

std::vector<float> ClockNode::row(Key key) const {
  std::vector<float> values(rows_->spec().row_length);
  RowScratch scratch;
  rows_->pull({&key, 1}, values, scratch).value();
  return values;
}

std::string ClockNode::describe() const {
  std::string text =
      fmt::format("node {} (stable {})", self_.value(), core_.clocks().stable().value());
  for (const auto& worker : workers_) {
    text +=
        fmt::format(", worker {} in tick {}: {}", worker->number, worker->tick.value(), worker->at);
  }
  for (const auto& [ticket, handle] : waiting_) text += "; " + core_.describe(ticket, now());
  return text;
}

}  // namespace godwit::sim
