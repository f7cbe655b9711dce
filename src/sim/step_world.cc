// sim/step_world.cc: runs a job in steps, heals it, judges its end.
#include "sim/step_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/step_node.h"

namespace godwit::sim {
namespace {

constexpr Duration kFaultTime = std::chrono::seconds(20);
// Who is silent is waited for half a minute at first, and twenty times as long as it usually takes
// after that; slow links make that long.
constexpr Duration kHealTime = std::chrono::seconds(600);

}  // namespace

StepWorld::StepWorld(std::uint64_t seed, const StepScenario& scenario)
    : scenario_(scenario),
      prng_(mix64(seed, 22)),
      network_(scenario.nodes, scenario.faults, prng_.split()),
      replay_(scenario_, [this](const std::string& what) { fail(what); }) {
  for (std::int64_t i = 0; i < scenario.nodes; ++i) {
    nodes_.push_back(std::make_unique<StepNode>(*this, NodeId{i}, prng_.split()));
  }
  network_.start();
  for (const auto& node : nodes_) node->start();
  network_.schedule(kFaultTime, [this] {
    network_.heal();
    is_healed_ = true;
  });
  plan_death();
  if (scenario.stop_after) {
    network_.after(NodeId{0}, *scenario.stop_after, [this] {
      replay_.excuse();
      nodes_[0]->stop();
    });
  }
}

StepWorld::~StepWorld() = default;

void StepWorld::fail(const std::string& what) {
  if (!violation_) violation_ = what;
}

void StepWorld::plan_death() {
  if (scenario_.death == StepDeath::kNone) return;
  const bool is_server = scenario_.death == StepDeath::kServer;
  const std::int64_t first = is_server ? 0 : scenario_.servers;
  const std::int64_t end = is_server ? scenario_.servers : scenario_.nodes;
  const NodeId victim{
      first + static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(end - first)))};
  network_.after(victim, scenario_.death_after, [this, victim] { die(victim); });
}

void StepWorld::die(NodeId node) {
  may_end_without_workers_ = scenario_.workers_of(node.value()) == scenario_.workers.size();
  if (scenario_.death == StepDeath::kCut) {
    cut_off_ = node;
    return network_.cut(NodeId{0}, node);
  }
  dead_ = node;
  network_.kill(node);
}

void StepWorld::note_failure(NodeId node, const Error& why) {
  const std::string& text = why.message();
  // Or another node has noticed it first, and said so: "node 1 gave up: node 2 is lost: ...".
  if (dead_ && dead_->value() < scenario_.servers &&
      text.find(fmt::format("node {} is lost", dead_->value())) != std::string::npos) {
    return;
  }
  if (cut_off_ == node && text.find("node 0 is lost") != std::string::npos) return;
  if (may_end_without_workers_ && text.find("no worker is left") != std::string::npos) return;
  fail(fmt::format("node {} gives up: {}", node.value(), text));
}

bool StepWorld::all_finished() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [this](const auto& node) {
    return node->is_finished() || dead_ == node->core().self();
  });
}

bool StepWorld::step() {
  if (violation_ || all_finished()) return false;
  if (network_.now() > Time{} + kFaultTime + kHealTime) {
    std::string states;
    for (const auto& node : nodes_) {
      if (dead_ != node->core().self()) states += "; " + node->describe();
    }
    fail("not everyone finished after the faults ended" + states);
    return false;
  }
  ++steps_;
  if (!network_.step()) fail("nothing is left to do, but not everyone finished");
  return !violation_;
}

std::optional<std::string> StepWorld::run() {
  while (step()) {
  }
  return violation_;
}

}  // namespace godwit::sim
