// sim/step_node.cc: the workers' scripts, and the checks of what they read and what owners have.
#include "sim/step_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "base/check.h"
#include "base/sample_order.h"

namespace godwit::sim {
namespace {

NodeCoreOptions core_options(const StepScenario& scenario, NodeId self, Prng& prng) {
  NodeCoreOptions options{.self = self, .nodes = scenario.nodes, .servers = scenario.servers};
  // Faults may pile up, but all of them end: nobody is to be given up who is not dead. Who is
  // frozen again and again may not hear of a connection for as long as there are faults.
  const bool is_deadly = scenario.death != StepDeath::kNone;
  const bool is_frozen = scenario.faults.freeze_every > Duration::zero();
  const Duration never = std::chrono::hours(1);
  options.liveness.lost_after = is_deadly ? std::chrono::seconds(is_frozen ? 30 : 10) : never;
  options.liveness.expel_after = is_deadly ? std::chrono::seconds(90) : never;
  options.links.receipt_every_frames = 1 + prng.below(40);
  options.links.receipt_every_bytes = 64U << prng.below(12);
  if (scenario.faults.wrong_guesses == 0) return options;
  options.first_guess = [nodes = scenario.nodes, wrong = scenario.faults.wrong_guesses, self,
                         map = PartitionMap(scenario.nodes, scenario.servers),
                         chance = prng.split()](TableId table, Key key) mutable {
    const NodeId home = map.home(table, key);
    if (chance.below(16) >= wrong) return home;
    const auto any = static_cast<std::int64_t>(chance.below(static_cast<std::uint64_t>(nodes)));
    return NodeId{any} == self ? home : NodeId{any};
  };
  return options;
}

// The gradient of one sample: something that depends on both, and sums that depend on their order.
// Bounded, since late results may make parameters swing higher and higher.
float gradient_of(std::uint64_t sample, std::uint64_t place, float parameter) {
  return std::clamp(parameter, -1.0F, 1.0F) * 0.5F + unit_float(mix64(sample, place)) - 0.5F;
}

}  // namespace

StepNode::StepNode(StepWorld& world, NodeId self, Prng prng)
    : CoreHost(world.network(), self, prng,
               [&](Prng& own) { return core_options(world.scenario(), self, own); }),
      world_(world) {
  for (const StepWorkerPlan& plan : scenario().workers) {
    if (plan.node != self.value()) continue;
    auto worker = std::make_unique<Worker>();
    worker->plan = plan;
    if (plan.hangs) worker->hangs_in = 1 + prng_.below(8);
    for (const TableSpec& spec : scenario().tables) {
      worker->parameters.emplace_back(spec.rows * spec.row_length);
    }
    workers_.push_back(std::move(worker));
  }
  for (const TableSpec& spec : scenario().tables) {
    std::vector<Key>& keys = keys_.emplace_back(spec.rows);
    std::iota(keys.begin(), keys.end(), Key{0});
  }
  if (self_ == kCoordinator) {
    core_.steps().watch([this](const StepOrders& orders) { world_.replay().on_orders(orders); });
  }
}

StepNode::~StepNode() = default;

void StepNode::start() {
  look();
  world_.network().after(self_, Duration(1), [this] {
    scripts_.push_back(run());
    scripts_.back().begin();
  });
}

void StepNode::stop() {
  core_.stop_steps(now());
  look();
}

void StepNode::on_look() {
  if (core_.failure() && !is_finished_) {
    is_finished_ = true;
    world_.note_failure(self_, *core_.failure());
    core_.say_bye(reserve());
  }
  if (core_.loss() && !is_finished_) {
    world_.fail(fmt::format("node {}: {}", self_.value(), core_.loss()->message()));
  }
  check_rows();
}

// Rows of this node are those of the last step that has begun here.
void StepNode::check_rows() {
  const std::uint64_t step = core_.steps().begun();
  if (step == checked_ || world_.violation()) return;
  checked_ = step;
  std::vector<float> row;
  for (std::size_t table = 0; table < entries_.size(); ++table) {
    row.resize(entries_[table].rows->spec().row_length);
    for (const Key key : keys_[table]) {
      if (core_.map().home(entries_[table].id, key) != self_) continue;
      entries_[table].rows->pull({&key, 1}, row, scratch_).value();
      const auto expected = world_.replay().row(table, key, step);
      if (std::equal(row.begin(), row.end(), expected.begin(), expected.end())) continue;
      world_.fail(
          fmt::format("row {} of table {} at node {} in step {} is not what a plain loop "
                      "gives",
                      key, table, self_.value(), step));
    }
  }
}

Script StepNode::run() {
  co_await pause(scenario().begin_max);
  co_await open_tables();
  for (std::uint64_t round = 0; round < scenario().rounds; ++round) co_await do_round(round);
  at_ = "barrier";
  const TicketId barrier = reserve();
  core_.enter_barrier(barrier);
  co_await done(barrier);
  at_ = "farewell";
  const TicketId bye = reserve();
  core_.say_bye(bye);
  co_await done(bye);
  is_finished_ = true;
}

Script StepNode::open_tables() {
  at_ = "open";
  for (const TableSpec& spec : scenario().tables) {
    const TicketId opened = reserve();
    core_.open_table(opened, spec);
    co_await done(opened);
    entries_.push_back(tables_.find(spec).value().value());
  }
}

Script StepNode::do_round(std::uint64_t round) {
  at_ = "steps";
  if (round > 0 && scenario().has_barriers) {
    const TicketId barrier = reserve();
    core_.enter_barrier(barrier);
    co_await done(barrier);
  }
  const StepOptions options = scenario().options_of(round);
  std::vector<std::uint32_t> numbers;
  for (const auto& worker : workers_) numbers.push_back(worker->plan.number);
  co_await pause(scenario().begin_max);
  if (self_ == kCoordinator) world_.replay().begin(options);
  core_.begin_steps(options, numbers, now());
  look();
  working_ = workers_.size();
  for (const auto& worker : workers_) {
    scripts_.push_back(work(*worker));
    scripts_.back().begin();
  }
  co_await AllEnded{*this};
}

Script StepNode::work(Worker& worker) {
  const WorkerId id{worker.plan.number};
  for (;;) {
    worker.at = "begin of a step";
    const TicketId begun = reserve();
    core_.await_step(begun, id);
    if ((co_await done(begun)).error) co_return;  // the node has failed, and looks at that next
    StepOrder order = core_.steps().member().take(id).value();
    world_.replay().check_order(worker.plan, order);
    if (order.is_last) break;
    co_await do_step(worker, std::move(order));
  }
  worker.at = "ended";
  if (--working_ > 0 || !after_workers_) co_return;
  world_.network().after(self_, Duration(1),
                         [by = std::exchange(after_workers_, nullptr)] { by.resume(); });
}

Script StepNode::do_step(Worker& worker, StepOrder order) {
  const Time begun = now();
  if (++worker.taken == worker.hangs_in) {
    worker.at = "hanging";
    const auto end = std::numeric_limits<std::uint64_t>::max() - 1;
    while (!is_over(end)) co_await pause(std::chrono::seconds(1));
  }
  if (!world_.is_healed() && prng_.below(64) < worker.plan.silences) {
    worker.at = "silent";
    co_await pause(worker.plan.silence_max);
  }
  worker.at = "reading";
  co_await read(worker, order.step);
  worker.at = "computing";
  StepResult result{.step = order.step, .worker = WorkerId{worker.plan.number}};
  for (const SampleShare& share : order.shares)
    result.samples += static_cast<std::uint32_t>(share.count);
  const Duration look_every =
      worker.plan.sample_max * result.samples / static_cast<std::int64_t>(scenario().looks);
  bool is_whole = true;
  for (std::uint64_t i = 0; i < scenario().looks && is_whole; ++i) {
    co_await pause(look_every);
    is_whole = !is_over(order.step);
  }
  result.compute_ns = Duration(now() - begun).count();
  result.loss = result.samples;
  result.half_difference = prng_.uniform();
  result.is_whole = is_whole;
  send(worker, result, is_whole ? sums_of(worker, order) : std::vector<WorkerSums>());
}

Script StepNode::read(Worker& worker, std::uint64_t step) {
  worker.read = step;
  std::vector<Reading> readings;
  for (std::size_t table = 0; table < entries_.size(); ++table) {
    readings.push_back(begin_reading(worker, table, step));
  }
  for (const Reading& reading : readings) {
    if (reading.positions.empty()) continue;
    const Waits::Outcome outcome = co_await done(reading.ticket);
    end_reading(worker, reading, outcome, step);
  }
}

// As Worker::pull_async() does it (node/worker.cc): rows that are here are read at once.
StepNode::Reading StepNode::begin_reading(Worker& worker, std::size_t table, std::uint64_t step) {
  const Tables::Entry& entry = entries_[table];
  const std::uint32_t length = entry.rows->spec().row_length;
  KeySplit split;
  split.by(keys_[table], scenario().nodes,
           [&](Key key) { return core_.router().first_hop(entry.id, key); });
  if (const auto here = split.of(self_); !here.empty()) {
    std::vector<Key> keys;
    for (const std::uint32_t position : here) keys.push_back(keys_[table][position]);
    std::vector<float> values(keys.size() * length);
    entry.rows->pull(keys, values, scratch_).value();
    note_rows(worker, table, here, values, step);
  }
  Reading reading{.table = table, .ticket = reserve()};
  auto requests =
      core_.router().write_pulls(reading.ticket, entry.id, keys_[table], length, split.groups(),
                                 false, Tick{static_cast<std::int64_t>(step)}, true);
  if (requests.empty()) return reading;
  for (const OutgoingRequest& request : requests) {
    reading.positions.emplace_back(request.positions.begin(), request.positions.end());
  }
  core_.send(reading.ticket, {"pull", keys_[table].size()}, entry.id, keys_[table], length,
             std::move(requests));
  return reading;
}

void StepNode::end_reading(Worker& worker, const Reading& reading, const Waits::Outcome& outcome,
                           std::uint64_t step) {
  for (const Arrived& answer : outcome.answers) {
    const std::vector<std::uint32_t>& places = reading.positions[answer.request];
    std::vector<std::uint32_t> positions;
    for (const std::uint32_t within : answer.positions) positions.push_back(places[within]);
    note_rows(worker, reading.table, answer.positions.empty() ? places : positions, answer.values,
              step);
  }
}

// What an owner tells at a time is of one step.
void StepNode::note_rows(Worker& worker, std::size_t table,
                         std::span<const std::uint32_t> positions, std::span<const float> values,
                         std::uint64_t step) {
  const std::size_t length = scenario().tables[table].row_length;
  std::vector<Key> keys;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    keys.push_back(keys_[table][positions[i]]);
    std::copy_n(values.data() + i * length, length,
                worker.parameters[table].data() + positions[i] * length);
  }
  worker.read = std::max(worker.read, world_.replay().step_of(table, keys, values, step));
}

std::vector<WorkerSums> StepNode::sums_of(Worker& worker, const StepOrder& order) {
  std::vector<std::uint64_t> samples;
  SampleOrder all(scenario().options.samples, scenario().options.seed);
  for (const SampleShare& share : order.shares) {
    for (std::uint64_t i = 0; i < share.count; ++i)
      samples.push_back(all.sample_at(share.first + i));
  }
  std::vector<WorkerSums> sums;
  for (std::size_t table = 0; table < entries_.size(); ++table) {
    const std::size_t length = scenario().tables[table].row_length;
    WorkerSums& of = sums.emplace_back(WorkerSums{.table = table, .keys = keys_[table]});
    if (worker.plan.is_sparse) {
      std::rotate(of.keys.begin(),
                  of.keys.begin() + static_cast<std::ptrdiff_t>(prng_.below(of.keys.size())),
                  of.keys.end());
      of.keys.resize(prng_.below(of.keys.size() + 1));
    }
    for (const Key key : of.keys) {
      for (std::size_t at = key * length; at < (key + 1) * length; ++at) {
        float sum = 0;
        for (const std::uint64_t sample : samples) {
          sum += gradient_of(sample, at, worker.parameters[table][at]);
        }
        of.floats.push_back(sum);
      }
    }
  }
  return sums;
}

void StepNode::send(Worker& worker, const StepResult& result, std::vector<WorkerSums> sums) {
  if (result.is_whole) world_.replay().note_sent(worker.plan, result.step, sums, worker.read);
  if (scenario().lose_an_update) {
    for (WorkerSums& of : sums) std::fill(of.floats.begin(), of.floats.end(), 0.0F);
  }
  std::vector<TableSums> tables;
  for (const WorkerSums& of : sums) {
    tables.push_back({.table = entries_[of.table].id, .keys = of.keys, .floats = of.floats});
  }
  core_.send_step(result, tables, now());
  look();
}

std::string StepNode::describe() const {
  std::string text =
      fmt::format("node {} (step {}, {})", self_.value(), core_.steps().begun(), at_);
  for (const auto& worker : workers_) {
    text += fmt::format(", worker {}: {}", worker->plan.number, worker->at);
  }
  for (const auto& [ticket, handle] : waiting_) text += "; " + core_.describe(ticket, now());
  return text;
}

}  // namespace godwit::sim
