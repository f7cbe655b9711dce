// sim/clock_world.cc: draws a job, runs it, heals it, judges its end.
#include "sim/clock_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/clock_node.h"

namespace godwit::sim {
namespace {

constexpr Duration kFaultTime = std::chrono::seconds(20);
constexpr Duration kHealTime = std::chrono::seconds(240);

}  // namespace

TableSpec ClockScenario::table_spec() const {
  return {.name = "t",
          .rows = keys,
          .row_length = static_cast<std::uint32_t>(2 * workers.size() + (is_bsp ? 1 : 0)),
          .consistency = {.kind = is_bsp ? ConsistencyKind::kBsp : ConsistencyKind::kSsp,
                          .staleness = staleness},
          .placement = placement};
}

std::int64_t ClockScenario::workers_expected(std::int64_t node) const {
  return std::count_if(workers.begin(), workers.end(), [node](const ClockWorkerPlan& plan) {
    return plan.node == node && plan.is_expected;
  });
}

ClockScenario draw_clock_scenario(std::uint64_t seed) {
  Prng prng(mix64(seed, 11));
  constexpr std::array<std::int64_t, 5> kStaleness{0, 0, 1, 2, 5};
  ClockScenario scenario;
  scenario.nodes = 1 + static_cast<std::int64_t>(prng.below(4));
  scenario.keys = prng.below(4) == 0 ? 1 : 1 + prng.below(12);
  scenario.batch_max = 1 + static_cast<std::uint32_t>(prng.below(8));
  scenario.operations_max = 1 + static_cast<std::uint32_t>(prng.below(5));
  scenario.staleness = kStaleness[prng.below(kStaleness.size())];
  scenario.is_bsp = prng.below(3) == 0;
  if (scenario.is_bsp) scenario.staleness = 0;
  if (prng.below(2) == 0) scenario.placement = static_cast<Placement>(prng.below(6));
  scenario.round_max = std::chrono::microseconds(100 + prng.below(5000));
  scenario.faults = draw_faults(prng);
  const std::int64_t ticks = 2 + static_cast<std::int64_t>(prng.below(14));
  const Duration step = std::chrono::microseconds(1 + prng.below(2000));
  const bool ends_differ = prng.below(3) == 0;
  const std::uint64_t straggler = prng.below(8);
  const std::uint32_t stalls = prng.below(2) == 0 ? 0 : static_cast<std::uint32_t>(prng.below(4));
  const std::uint64_t workers = 1 + prng.below(6);
  for (std::uint64_t i = 0; i < workers; ++i) {
    ClockWorkerPlan plan;
    plan.node = static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(scenario.nodes)));
    plan.is_expected = i == 0 || prng.below(6) != 0;
    plan.begins_after = std::chrono::microseconds(1 + prng.below(60'000));
    plan.ticks = ends_differ ? 1 + static_cast<std::int64_t>(prng.below(14)) : ticks;
    plan.step_max = step * (i == straggler ? 5 : 1);
    plan.stalls = stalls;
    plan.leases = static_cast<std::uint32_t>(prng.below(17));
    plan.reads = static_cast<std::uint32_t>(prng.below(15));
    scenario.workers.push_back(plan);
  }
  // A node's expected workers have its lowest numbers.
  std::stable_sort(scenario.workers.begin(), scenario.workers.end(),
                   [](const ClockWorkerPlan& a, const ClockWorkerPlan& b) {
                     return a.is_expected > b.is_expected;
                   });
  return scenario;
}

ClockWorld::ClockWorld(std::uint64_t seed, const ClockScenario& scenario)
    : scenario_(scenario),
      prng_(mix64(seed, 12)),
      network_(scenario.nodes, scenario.faults, prng_.split()),
      ledger_(scenario.workers.size(), scenario.keys),
      replay_(scenario.keys, scenario.table_spec().row_length),
      ticks_(scenario.workers.size()),
      canary_(scenario.lose_an_update) {
  for (std::size_t i = 0; i < scenario.workers.size(); ++i) {
    if (scenario.workers[i].is_expected) ticks_[i] = Tick{0};
  }
  for (std::int64_t i = 0; i < scenario.nodes; ++i) {
    nodes_.push_back(std::make_unique<ClockNode>(*this, NodeId{i}, prng_.split()));
  }
  network_.start();
  for (const auto& node : nodes_) node->start();
  network_.schedule(kFaultTime, [this] { network_.heal(); });
}

ClockWorld::~ClockWorld() = default;

void ClockWorld::fail(const std::string& what) {
  if (!violation_) violation_ = what;
}

void ClockWorld::note_begun(std::size_t worker, Tick tick) {
  ticks_[worker] = tick;
  for (std::size_t other = 0; other < ticks_.size(); ++other) {
    if (!ticks_[other] || tick.value() - ticks_[other]->value() <= scenario_.staleness + 1)
      continue;
    fail(fmt::format("worker {} begins tick {}, but worker {} is in tick {}", worker, tick.value(),
                     other, ticks_[other]->value()));
  }
}

void ClockWorld::check_start(std::size_t worker, Tick tick) {
  for (const auto& node : nodes_) {
    if (node->core().clocks().stable() < tick) continue;
    fail(fmt::format("worker {} begins with tick {}, which is stable already", worker,
                     tick.value()));
  }
}

bool ClockWorld::is_settled() const {
  for (const auto& node : nodes_) {
    if (!node->core().is_quiet()) return false;
    for (const auto& peer : nodes_) {
      if (!node->core().links().all_received(peer->core().self())) return false;
    }
  }
  return true;
}

bool ClockWorld::all_finished() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return node->is_finished(); });
}

bool ClockWorld::step() {
  if (violation_) return false;
  if (all_finished()) {
    check_end();
    return false;
  }
  if (network_.now() > Time{} + kFaultTime + kHealTime) {
    std::string states;
    for (const auto& node : nodes_) states += "; " + node->describe();
    fail("not everyone finished after the faults ended" + states);
    return false;
  }
  ++steps_;
  if (!network_.step()) fail("nothing is left to do, but not everyone finished");
  return !violation_;
}

std::optional<std::string> ClockWorld::run() {
  while (step()) {
  }
  return violation_;
}

void ClockWorld::check_end() {
  for (Key key = 0; key < scenario_.keys; ++key) {
    for (const auto& node : nodes_) {
      if (!node->core().shared().owns({node->table(), key})) continue;
      const std::vector<float> row = node->row(key);
      for (std::size_t worker = 0; worker < scenario_.workers.size(); ++worker) {
        const std::int64_t total = ledger_.total(worker, key);
        if (row[worker] == static_cast<float>(total)) continue;
        fail(fmt::format("row {} has {} of worker {} at the end, but {} were added", key,
                         row[worker], worker, total));
      }
      if (scenario_.is_bsp && row != replay_.row(key, kEndOfTime)) {
        fail(fmt::format("row {} is not what a replay gives", key));
      }
    }
  }
}

}  // namespace godwit::sim
