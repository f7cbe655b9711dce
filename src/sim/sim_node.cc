// sim/sim_node.cc: the worker's script and the checks of what it reads.
#include "sim/sim_node.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/errors.h"

namespace godwit::sim {
namespace {

NodeCoreOptions core_options(World& world, NodeId self, Prng& prng) {
  const Scenario& scenario = world.scenario();
  NodeCoreOptions options{.self = self, .nodes = scenario.nodes, .rounds_by_timer = false};
  if (!scenario.kill_a_node) {
    // Faults may pile up to anything here, but all of them end: nobody is to be given up.
    options.liveness.lost_after = std::chrono::hours(1);
    options.liveness.expel_after = std::chrono::hours(1);
  }
  options.links.receipt_every_frames = 1 + prng.below(40);
  options.links.receipt_every_bytes = 64U << prng.below(12);
  options.linger_min = std::chrono::microseconds(prng.below(3000));
  if (scenario.faults.wrong_guesses > 0) {
    options.first_guess = [&world, self, chance = prng.split()](TableId table, Key key) mutable {
      const std::int64_t nodes = world.scenario().nodes;
      const NodeId home = PartitionMap(nodes).home(table, key);
      if (chance.below(16) >= world.scenario().faults.wrong_guesses) return home;
      const auto any = static_cast<std::int64_t>(chance.below(static_cast<std::uint64_t>(nodes)));
      return NodeId{any} == self ? home : NodeId{any};
    };
  }
  return options;
}

}  // namespace

SimNode::SimNode(World& world, NodeId self, Prng prng)
    : CoreHost(world.network(), self, prng,
               [&](Prng& own) { return core_options(world, self, own); }),
      world_(world),
      operations_left_(world.scenario().operations),
      acknowledged_(world.scenario().keys),
      seen_(world.scenario().keys * static_cast<std::size_t>(world.scenario().nodes)) {}

void SimNode::start() {
  look();
  wake();
  run_rounds();
}

// Some nodes are slow to say what has changed.
void SimNode::run_rounds() {
  world_.network().after(self_, std::chrono::microseconds(20 + prng_.below(3000)), [this] {
    constexpr std::array kFlushes{Flush::kChanges, Flush::kRefresh};
    const std::uint64_t draw = prng_.below(16);
    core_.round(now(), draw < kFlushes.size() ? kFlushes[draw] : Flush::kNone);
    has_unsent_ = false;
    wake();
    if (!world_.violation()) run_rounds();
  });
}

void SimNode::on_done(TicketId ticket) {
  done_.push_back(ticket);
  wake();
}

// The worker's thread runs a little later, like a real one.
void SimNode::wake() {
  if (std::exchange(wake_planned_, true)) return;
  world_.network().after(self_, std::chrono::microseconds(1 + prng_.below(50)), [this] {
    wake_planned_ = false;
    advance();
  });
}

void SimNode::advance() {
  for (const TicketId ticket : std::exchange(done_, {})) collect(ticket);
  for (std::vector<Key>& keys : std::exchange(delayed_pulls_, {})) pull(std::move(keys));
  for (std::vector<Key>& keys : std::exchange(delayed_pushes_, {})) push(std::move(keys));
  use_leases();
  if (finished() || world_.violation() || control_) return;
  switch (phase_) {
    case Phase::kOpen:
      control_ = core_.waits().reserve();
      core_.open_table(*control_, world_.scenario().table_spec());
      return;
    case Phase::kWork:
      return next_operation();
    case Phase::kDrain:
      if (!requests_.empty() || !leases_.empty()) return;
      if (!delayed_pulls_.empty() || !delayed_pushes_.empty()) return;
      phase_ = Phase::kBarrier;
      [[fallthrough]];
    case Phase::kBarrier:
      control_ = core_.waits().reserve();
      return core_.enter_barrier(*control_);
    case Phase::kSettle:
      if (core_.failure()) return take_note(TicketId{0}, *core_.failure());
      if (!world_.is_settled()) return;
      phase_ = Phase::kFinalPull;
      [[fallthrough]];
    case Phase::kFinalPull:
      if (requests_.empty()) pull(all_keys());
      return;
    case Phase::kFarewell:
      control_ = core_.waits().reserve();
      return core_.say_bye(*control_);
    case Phase::kFinished:
      return;
  }
}

void SimNode::next_operation() {
  const Scenario& scenario = world_.scenario();
  while (operations_left_ > 0 &&
         requests_.size() + delayed_pulls_.size() + delayed_pushes_.size() + leases_.size() <
             scenario.tickets_max) {
    --operations_left_;
    if (prng_.below(16) < scenario.storms) {
      const auto to =
          static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(scenario.nodes)));
      core_.shared().move_anyway({table_, prng_.below(scenario.keys)}, NodeId{to});
      core_.shared().flush();
    }
    if (prng_.below(16) < scenario.leases) {
      begin_lease();
    } else if (prng_.below(3) == 0) {
      pull(draw_keys());
    } else {
      push(draw_keys());
    }
  }
  if (operations_left_ == 0) {
    phase_ = Phase::kDrain;
    if (requests_.empty()) wake();
  }
}

std::vector<Key> SimNode::draw_keys() {
  std::vector<Key> keys(1 + prng_.below(world_.scenario().batch_max));
  for (Key& key : keys) key = prng_.below(world_.scenario().keys);
  return keys;
}

std::vector<Key> SimNode::all_keys() const {
  std::vector<Key> keys(world_.scenario().keys);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  return keys;
}

bool SimNode::is_here(Key key) const {
  return rows_->is_there(key) || core_.shared().owns({table_, key});
}

bool SimNode::must_wait(const std::vector<Key>& keys) const {
  return !core_.failure() && std::any_of(keys.begin(), keys.end(), [this](Key key) {
    return !is_here(key) && core_.must_wait({table_, key});
  });
}

void SimNode::push(std::vector<Key> keys) {
  if (must_wait(keys)) return delayed_pushes_.push_back(std::move(keys));
  Request request{.is_pull = false, .keys = std::move(keys)};
  const auto length = static_cast<std::uint32_t>(world_.scenario().nodes);
  std::vector<float> ones(request.keys.size() * length);
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    const bool lose = world_.scenario().lose_an_update && !std::exchange(skipped_one_, true);
    ones[i * length + static_cast<std::size_t>(self_.value())] = lose ? 0 : 1;
    world_.ledger().issued(self_.value(), request.keys[i]);
  }
  KeySplit groups;
  split(request.keys, groups);
  const TicketId ticket = core_.waits().reserve();
  auto outgoing = core_.router().write_pushes(ticket, table_, PushMode::kPush, request.keys, ones,
                                              length, groups.groups());
  RowScratch scratch;
  for (const KeySplit::Group& group : groups.groups()) {
    if (group.node != self_) continue;
    for (const std::uint32_t position : group.positions) {
      const auto row = std::span(ones).subspan(std::size_t{position} * length, length);
      rows_->push(std::span(&request.keys[position], 1), row, scratch).value();
      has_unsent_ = true;
    }
  }
  send(ticket, std::move(request), std::move(outgoing), 0);
}

void SimNode::split(std::span<const Key> keys, KeySplit& split) {
  split.by(keys, world_.scenario().nodes, [&](Key key) {
    if (is_here(key)) return self_;
    const NodeId guess = core_.router().first_hop(table_, key);
    return guess == self_ ? core_.shared().next_hop({table_, key}, false, 0).node : guess;
  });
}

std::vector<float> SimNode::row(Key key) const {
  const auto length = static_cast<std::size_t>(world_.scenario().nodes);
  std::vector<float> values(length);
  RowScratch scratch;
  rows_->pull(std::span(&key, 1), values, scratch).value();
  return values;
}

void SimNode::pull(std::vector<Key> keys) {
  if (must_wait(keys)) return delayed_pulls_.push_back(std::move(keys));
  Request request{.is_pull = true, .keys = std::move(keys)};
  const auto nodes = static_cast<std::size_t>(world_.scenario().nodes);
  note_reads(request);
  KeySplit groups;
  split(request.keys, groups);
  request.values.assign(request.keys.size() * nodes, -1);
  for (const KeySplit::Group& group : groups.groups()) {
    if (group.node != self_) continue;
    for (const std::uint32_t position : group.positions) {
      const std::vector<float> here = row(request.keys[position]);
      std::copy(here.begin(), here.end(),
                request.values.begin() + static_cast<std::ptrdiff_t>(position * nodes));
    }
  }
  const TicketId ticket = core_.waits().reserve();
  const auto length = static_cast<std::uint32_t>(world_.scenario().nodes);
  auto outgoing = core_.router().write_pulls(ticket, table_, request.keys, length, groups.groups());
  send(ticket, std::move(request), std::move(outgoing), length);
}

void SimNode::send(TicketId ticket, Request request, std::vector<OutgoingRequest> outgoing,
                   std::uint32_t row_length) {
  for (const OutgoingRequest& part : outgoing) {
    request.positions.emplace_back(part.positions.begin(), part.positions.end());
  }
  const Purpose purpose{request.is_pull ? "pull" : "push", request.keys.size()};
  std::vector<Key> keys = request.keys;
  std::erase_if(keys, [this](Key key) { return is_here(key); });
  requests_.emplace(ticket, std::move(request));
  core_.send(ticket, purpose, table_, keys, row_length, std::move(outgoing));
}

void SimNode::collect(TicketId ticket) {
  Waits::Outcome outcome = core_.waits().take(ticket);
  if (outcome.error) return take_note(ticket, *outcome.error);
  if (control_ == ticket) {
    control_.reset();
    if (phase_ == Phase::kOpen) {
      const auto entry = tables_.find(world_.scenario().table_spec()).value();
      rows_ = entry->rows;
      table_ = entry->id;
      phase_ = Phase::kWork;
    } else if (phase_ == Phase::kBarrier) {
      phase_ = Phase::kSettle;
    } else {
      phase_ = Phase::kFinished;
    }
    return;
  }
  auto found = requests_.extract(ticket);
  if (found.empty()) return;  // the farewell after a failure, or a lease
  Request request = std::move(found.mapped());
  if (!request.is_pull) {
    for (const Key key : request.keys) ++acknowledged_[key];
    return wake();
  }
  const auto length = static_cast<std::size_t>(world_.scenario().nodes);
  std::vector<float>& values = request.values;
  for (const Arrived& answer : outcome.answers) {
    const auto& places = request.positions[answer.request];
    for (std::size_t i = 0; i < answer.values.size() / length; ++i) {
      const std::size_t place = places[answer.positions.empty() ? i : answer.positions[i]];
      std::copy_n(answer.values.begin() + static_cast<std::ptrdiff_t>(i * length), length,
                  values.begin() + static_cast<std::ptrdiff_t>(place * length));
    }
  }
  check_rows(request, values);
  if (phase_ == Phase::kFinalPull) phase_ = Phase::kFarewell;
  wake();
}

void SimNode::check_rows(const Request& request, const std::vector<float>& values) {
  const auto nodes = static_cast<std::size_t>(world_.scenario().nodes);
  for (std::size_t place = 0; place < request.keys.size(); ++place) {
    for (std::size_t worker = 0; worker < nodes; ++worker) {
      const float value = values[place * nodes + worker];
      check_element(request, place, worker, value);
      float& seen = seen_[request.keys[place] * nodes + worker];
      seen = std::max(seen, value);
    }
  }
}

void SimNode::check_element(const Request& request, std::size_t place, std::size_t worker,
                            float value) {
  const auto nodes = static_cast<std::size_t>(world_.scenario().nodes);
  const Key key = request.keys[place];
  const auto issued = world_.ledger().count(static_cast<std::int64_t>(worker), key);
  const auto complain = [&](const std::string& what) {
    world_.fail(fmt::format("node {} read {} in element {} of row {}{}", self_.value(), value,
                            worker, key, what));
  };
  if (value > static_cast<float>(issued)) {
    complain(fmt::format(", but only {} were added", issued));
  }
  if (worker == static_cast<std::size_t>(self_.value()) &&
      value < static_cast<float>(request.own_before[place])) {
    complain(
        fmt::format(", but {} of its own additions were acknowledged", request.own_before[place]));
  }
  if (value < request.seen_before[place * nodes + worker]) {
    complain(fmt::format(" after it had read {}", request.seen_before[place * nodes + worker]));
  }
  if (phase_ == Phase::kFinalPull && value != static_cast<float>(issued)) {
    complain(fmt::format(" at the end, but {} were added", issued));
  }
}

void SimNode::take_note(TicketId ticket, const Error& error) {
  if (!world_.scenario().kill_a_node) {
    return world_.fail(fmt::format("node {} was told: {}", self_.value(), error.message()));
  }
  requests_.erase(ticket);
  if (control_ == ticket) control_.reset();
  if (phase_ == Phase::kFinished) return;
  told_ = error;
  core_.say_bye(core_.waits().reserve());  // as a process does before it exits with an error
  phase_ = Phase::kFinished;
}

std::string SimNode::describe() const {
  return fmt::format("node {}: {} operations left, {} requests under way, {} leases", self_.value(),
                     operations_left_, requests_.size(), leases_.size());
}

}  // namespace godwit::sim
