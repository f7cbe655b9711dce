// sim/world.cc: runs the job, heals it, judges its end.
#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ids_fmt.h"
#include "sim/sim_node.h"

namespace godwit::sim {
namespace {

// Faults end after this much simulated time; then all must finish. Links are no longer slow, but
// what a slow one took before the end arrives up to 250 times 20 ms later each.
constexpr Duration kFaultTime = std::chrono::seconds(20);
constexpr Duration kHealTime = std::chrono::seconds(120);

}  // namespace

void make_deadly(Scenario& scenario) {
  scenario.kill_a_node = true;
  scenario.faults.drop_every = Duration::zero();
  scenario.faults.partition_every = Duration::zero();
  scenario.faults.freeze_every = Duration::zero();
}

Scenario draw_scenario(std::uint64_t seed) {
  Prng prng(mix64(seed, 1));
  Scenario scenario;
  scenario.nodes = 1 + static_cast<std::int64_t>(prng.below(5));
  scenario.operations = 5 + static_cast<std::int64_t>(prng.below(60));
  scenario.keys = 1 + prng.below(40);
  scenario.batch_max = 1 + static_cast<std::uint32_t>(prng.below(24));
  scenario.tickets_max = 1 + static_cast<std::uint32_t>(prng.below(6));
  scenario.leases = prng.below(3) == 0 ? 0 : static_cast<std::uint32_t>(prng.below(14));
  scenario.storms = prng.below(2) == 0 ? 0 : static_cast<std::uint32_t>(prng.below(8));
  if (prng.below(2) == 0) scenario.placement = static_cast<Placement>(prng.below(6));
  scenario.faults = draw_faults(prng);
  if (scenario.nodes > 1 && prng.below(8) == 0) make_deadly(scenario);
  return scenario;
}

TableSpec Scenario::table_spec() const {
  return {.name = "t",
          .rows = keys,
          .row_length = static_cast<std::uint32_t>(nodes),
          .placement = placement};
}

Ledger::Ledger(std::int64_t workers, std::uint64_t keys)
    : workers_(workers), counts_(static_cast<std::size_t>(workers) * keys) {}

std::size_t Ledger::index(std::int64_t worker, Key key) const {
  return key * static_cast<std::size_t>(workers_) + static_cast<std::size_t>(worker);
}

World::World(std::uint64_t seed, const Scenario& scenario)
    : seed_(seed),
      scenario_(scenario),
      prng_(mix64(seed, 2)),
      network_(scenario.nodes, scenario.faults, prng_.split()),
      ledger_(scenario.nodes, scenario.keys) {
  for (std::int64_t i = 0; i < scenario.nodes; ++i) {
    nodes_.push_back(std::make_unique<SimNode>(*this, NodeId{i}, prng_.split()));
  }
  network_.start();
  for (const auto& node : nodes_) node->start();
  network_.schedule(kFaultTime, [this] { network_.heal(); });
  if (scenario.kill_a_node) {
    const NodeId victim{
        static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(scenario.nodes)))};
    const Duration when = std::chrono::microseconds(prng_.below(400'000));
    network_.after(victim, when, [this, victim] {
      killed_ = victim;
      network_.kill(victim);
    });
  }
}

World::~World() = default;

void World::fail(const std::string& what) {
  if (!violation_) violation_ = what;
}

bool World::all_finished() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [this](const auto& node) {
    return node->finished() || is_dead(node->core().self());
  });
}

bool World::is_settled() const {
  return std::all_of(
             nodes_.begin(), nodes_.end(),
             [](const auto& node) { return node->core().is_quiet() && !node->has_unsent(); }) &&
         all_received();
}

bool World::nothing_is_kept() const {
  return scenario_.kill_a_node || all_received();
}

bool World::all_received() const {
  for (const auto& node : nodes_) {
    for (const auto& peer : nodes_) {
      if (!node->core().links().all_received(peer->core().self())) return false;
    }
  }
  return true;
}

std::int64_t World::workers_told() const {
  return std::count_if(nodes_.begin(), nodes_.end(),
                       [](const auto& node) { return node->told().has_value(); });
}

bool World::step() {
  if (violation_) return false;
  if (all_finished() && nothing_is_kept()) {
    check_end();
    return false;
  }
  if (network_.now() > Time{} + kFaultTime + kHealTime) {
    std::string states;
    for (const auto& node : nodes_) states += "; " + node->describe();
    fail((all_finished() ? "frames are kept" : "not everyone finished") +
         (" after the faults ended" + states));
    return false;
  }
  ++steps_;
  if (!network_.step()) {
    fail("nothing is left to do, but not everyone finished");
    return false;
  }
  return !violation_;
}

std::optional<std::string> World::run() {
  while (step()) {
  }
  return violation_;
}

void World::check_row(TableId table, Key key) {
  const RowId id{table, key};
  const SimNode* owner = nullptr;
  for (const auto& node : nodes_) {
    if (!node->core().shared().owns(id)) continue;
    if (owner != nullptr) return fail(fmt::format("row {} has two owners", key));
    owner = node.get();
  }
  if (owner == nullptr) return fail(fmt::format("row {} has no owner", key));
  const NodeId home = PartitionMap(scenario_.nodes).home(table, key);
  const RowEntry* const at_home =
      nodes_[static_cast<std::size_t>(home.value())]->core().shared().find(id);
  const NodeId known = at_home != nullptr && at_home->directory ? at_home->directory->owner : home;
  if (known != owner->self()) {
    return fail(fmt::format("the home of row {} says node {}, but node {} owns it", key,
                            known.value(), owner->self().value()));
  }
  for (const auto& node : nodes_) {
    if (node->core().shared().is_here(id) && node->row(key) != owner->row(key)) {
      return fail(
          fmt::format("node {} has another row {} than its owner", node->self().value(), key));
    }
    if (node.get() == owner) continue;
    const RowEntry* const entry = node->core().shared().find(id);
    const bool wants = entry != nullptr && entry->wants;
    const RowEntry* const known_of = owner->core().shared().find(id);
    if (wants !=
        (known_of != nullptr && known_of->owned && known_of->owned->is_wanted_by(node->self()))) {
      return fail(fmt::format("the owner of row {} does not know what node {} wants", key,
                              node->self().value()));
    }
  }
}

void World::check_rows() {
  const TableId table = nodes_[0]->table();
  for (Key key = 0; key < scenario_.keys && !violation_; ++key) check_row(table, key);
}

void World::check_end() {
  if (!scenario_.kill_a_node) check_rows();
  for (const auto& node : nodes_) {
    if (is_dead(node->core().self())) continue;
    const std::string who = fmt::format("node {}", node->core().self().value());
    if (node->told()) {
      const std::string named = killed_ ? fmt::format("node {}", killed_->value()) : "";
      if (!killed_ || (node->told()->message().find(named) == std::string::npos &&
                       node->told()->message().find("gave up") == std::string::npos)) {
        return fail(who + " was told: " + node->told()->message());
      }
      continue;
    }
    if (node->core().waits().open() > 0) return fail(who + " still waits at the end");
    if (node->core().wanted().size() > 0) return fail(who + " still wants rows at the end");
    for (Key key = 0; key < scenario_.keys; ++key) {
      if (node->core().shared().is_used_here({node->table(), key})) {
        return fail(fmt::format("{} still uses row {} at the end", who, key));
      }
    }
  }
}

std::string World::replay_line() const {
  return fmt::format("godwit sim --seeds {}..{}", seed_, seed_);
}

}  // namespace godwit::sim
