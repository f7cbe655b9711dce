// sim/group_node.cc: the scripts of table nodes and ranks, and the checks of what they have.
#include "sim/group_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/check.h"

namespace godwit::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

NodeCoreOptions core_options(const GroupScenario& scenario, NodeId self, Prng& prng) {
  NodeCoreOptions options{.self = self, .nodes = scenario.nodes(), .servers = scenario.servers};
  options.rejoin_within = std::chrono::hours(1);
  options.group_patience = scenario.patience;
  // Faults may pile up, but all of them end: nobody is to be given up who is not dead.
  const bool is_frozen = scenario.faults.freeze_every > Duration::zero() ||
                         std::any_of(scenario.troubles.begin(), scenario.troubles.end(),
                                     [](const GroupTrouble& trouble) { return !trouble.is_death; });
  options.liveness.lost_after = seconds(is_frozen ? 60 : 10);
  options.liveness.expel_after = seconds(120);
  options.liveness.join_within = std::chrono::hours(1);
  options.links.receipt_every_frames = 1 + prng.below(40);
  options.links.receipt_every_bytes = 64U << prng.below(12);
  return options;
}

}  // namespace

GroupNode::GroupNode(GroupWorld& world, NodeId self, Prng prng)
    : CoreHost(world.network(), self, prng,
               [&](Prng& own) { return core_options(world.scenario(), self, own); }),
      world_(world),
      life_(world.network().lives(self)) {
  if (self_ == kCoordinator) {
    core_.groups().watch([this](const RoundLeader::End& end) { world_.ledger().note_end(end); });
  }
  core_.groups().exchanges().watch([this](NodeId from, const Exchange& exchange, std::size_t row,
                                          std::span<const float> result) {
    world_.ledger().note_applied(from, world_.network().lives(from), exchange, row, result);
  });
}

GroupNode::~GroupNode() = default;

void GroupNode::start() {
  look();
  world_.network().after(self_, Duration(1), [this] {
    scripts_.push_back(run());
    scripts_.back().begin();
  });
}

void GroupNode::on_error(const Error& error) {
  world_.fail(fmt::format("node {}, at {}: {}", self_.value(), at_, error.message()));
}

void GroupNode::on_look() {
  if (is_dead_) return;
  if (core_.failure()) on_error(*core_.failure());
  if (core_.loss()) on_error(*core_.loss());
  const GroupsView view = core_.groups().view();
  if (self_ == kCoordinator && view.version != seen_version_) {
    if (view.live.size() < seen_live_) world_.note_expiry();
    seen_version_ = view.version;
    seen_live_ = view.live.size();
  }
  check_rows();
}

// Rows of this node are what a plain loop gives.
void GroupNode::check_rows() {
  if (!is_server() || world_.violation()) return;
  for (std::size_t table = 0; table < scenario().tables.size(); ++table) {
    const TableSpec& spec = scenario().tables[table];
    const auto entry = tables_.find(spec).value();
    if (!entry) continue;
    std::vector<float> row(spec.row_length);
    for (Key key = 0; key < spec.rows; ++key) {
      if (core_.map().home(entry->id, key) != self_) continue;
      entry->rows->pull({&key, 1}, row, scratch_).value();
      const auto expected = world_.ledger().row(table, key, core_.groups().rounds().round());
      if (std::equal(row.begin(), row.end(), expected.begin(), expected.end())) continue;
      return world_.fail(fmt::format("row {} of table {} at node {} is not what a plain loop gives",
                                     key, table, self_.value()));
    }
  }
}

Script GroupNode::run() {
  co_await pause(seconds(1));
  if (is_server()) {
    co_await serve();
  } else {
    co_await take_part();
  }
  at_ = "farewell";
  const TicketId bye = reserve();
  core_.say_bye(bye);
  look();
  co_await done(bye);
  is_finished_ = true;
}

Script GroupNode::serve() {
  co_return;
}

Script GroupNode::take_part() {
  co_await open_tables();
  at_ = "join";
  const TicketId joined = reserve();
  const std::int64_t group = scenario().group_of(self_);
  core_.join_group(joined,
                   {.group = group,
                    .rank = scenario().rank_of(self_),
                    .size = scenario().ranks,
                    .incarnation = life_},
                   now());
  look();
  co_await done(joined);
  round_ = core_.groups().joined().round;
  for (Part& part : parts_) co_await read(part);
  // A step that some rank of a life before has ended is not done again.
  std::uint64_t step = 0;
  co_await meet(++step);
  while (world_.progress(group) < scenario().steps) {
    co_await do_step(step);
    co_await meet(++step);
    if (scenario().rank_of(self_) == 0) ++world_.progress(group);
    co_await meet(++step);
  }
}

Script GroupNode::open_tables() {
  at_ = "open";
  for (std::size_t table = 0; table < scenario().tables.size(); ++table) {
    const TableSpec& spec = scenario().tables[table];
    const TicketId opened = reserve();
    core_.open_table(opened, spec);
    look();
    co_await done(opened);
    Part part{.table = table, .entry = tables_.find(spec).value().value()};
    for (Key key = 0; key < spec.rows; ++key) {
      const auto ranks = static_cast<Key>(scenario().ranks);
      if (key % ranks == static_cast<Key>(scenario().rank_of(self_))) part.keys.push_back(key);
    }
    part.values.resize(part.keys.size() * spec.row_length);
    parts_.push_back(std::move(part));
  }
}

// As a group does that begins or comes back: it takes what is there.
Script GroupNode::read(Part& part) {
  if (part.keys.empty()) co_return;
  at_ = "read";
  const std::uint32_t length = part.entry.rows->spec().row_length;
  KeySplit split;
  split.by(part.keys, scenario().nodes(),
           [&](Key key) { return core_.router().first_hop(part.entry.id, key); });
  const TicketId ticket = reserve();
  auto requests =
      core_.router().write_pulls(ticket, part.entry.id, part.keys, length, split.groups());
  std::vector<std::vector<std::uint32_t>> positions;
  for (const OutgoingRequest& request : requests) {
    positions.emplace_back(request.positions.begin(), request.positions.end());
  }
  core_.send(ticket, {"pull", part.keys.size()}, part.entry.id, part.keys, length,
             std::move(requests));
  look();
  const Waits::Outcome outcome = co_await done(ticket);
  for (const Arrived& answer : outcome.answers) {
    for (std::size_t i = 0; i < positions[answer.request].size(); ++i) {
      std::copy_n(answer.values.data() + i * length, length,
                  part.values.data() + positions[answer.request][i] * length);
    }
  }
}

// Waits for the other ranks of the group, like a collective.
Script GroupNode::meet(std::uint64_t step) {
  at_ = "meeting";
  meeting().steps[static_cast<std::size_t>(scenario().rank_of(self_))] = step;
  std::uint64_t& round = meeting().rounds[step];
  round = std::max(round, round_);
  const auto has_come = [step](std::uint64_t rank) { return rank >= step; };
  while (!std::all_of(meeting().steps.begin(), meeting().steps.end(), has_come)) {
    co_await pause(milliseconds(2));
  }
  round_ = meeting().rounds[step];
}

Script GroupNode::do_step(std::uint64_t step) {
  at_ = "computing";
  co_await pause(scenario().compute_max);
  core_.groups().progress(step, now());
  for (Part& part : parts_) {
    const bool has_gradients =
        scenario().mode == ExchangeMode::kAsync || scenario().mode == ExchangeMode::kSync;
    part.given = part.values;
    for (float& value : part.given) {
      const float change = static_cast<float>(prng_.uniform()) - 0.5F;
      value = has_gradients ? change : value + change;
    }
  }
  at_ = "exchange";
  for (std::size_t i = 0; i < parts_.size(); ++i) begin_exchange(parts_[i], i + 1 == parts_.size());
  look();
  std::uint64_t next = round_;
  for (Part& part : parts_) {
    const Waits::Outcome outcome = co_await done(part.ticket);
    const ExchangeOutcome came = end_exchange(part, outcome);
    if (!part.keys.empty()) next = std::max(next, came.next_round);
  }
  round_ = next;
}

void GroupNode::begin_exchange(Part& part, bool is_last) {
  const ExchangeOptions options{.mode = scenario().mode,
                                .compression = scenario().compression,
                                .round = round_,
                                .samples = 1 + prng_.below(8),
                                .ends_round = is_last};
  part.call = std::make_unique<ExchangeCall>();
  part.ticket = reserve();
  part.before = part.given;
  const ExchangeCall::Target target{.ticket = part.ticket,
                                    .table = part.entry.id,
                                    .spec = &part.entry.rows->spec(),
                                    .group = core_.groups().own()};
  auto requests =
      part.call->begin(core_.map(), target, options, part.keys, part.given, part.memory);
  if (!requests.ok()) return on_error(requests.error());
  SentExchange sent{.node = self_,
                    .life = life_,
                    .ticket = static_cast<std::uint64_t>(part.ticket.value()),
                    .table = part.table,
                    .round = scenario().mode == ExchangeMode::kSync ? round_ : 0,
                    .group = *target.group,
                    .samples = options.samples,
                    .keys = part.keys,
                    .sent = {part.call->sent().begin(), part.call->sent().end()}};
  if (scenario().lose_an_update) {
    for (float& value : sent.sent) value += 1;
  }
  world_.ledger().note_sent(std::move(sent));
  std::optional<RoundPart> round_part;
  if (scenario().mode == ExchangeMode::kSync && is_last) {
    round_part = {.round = round_,
                  .life = target.group->life,
                  .group = target.group->group,
                  .rank = static_cast<std::uint32_t>(scenario().rank_of(self_)),
                  .size = target.group->size};
  }
  core_.exchange(part.ticket, {"exchange", part.keys.size()}, std::move(*requests), round_part,
                 now());
}

ExchangeOutcome GroupNode::end_exchange(Part& part, const Waits::Outcome& outcome) {
  if (outcome.error) return {};
  const auto came = part.call->finish(outcome.answers);
  if (!came.ok()) {
    on_error(came.error());
    return {};
  }
  if (part.keys.empty()) return *came;
  world_.ledger().check_done(self_, life_, static_cast<std::uint64_t>(part.ticket.value()), *came,
                             part.before, part.given);
  check_shadow(part);
  part.values = part.given;
  return *came;
}

// What owners believe this rank to know is what it knows.
void GroupNode::check_shadow(const Part& part) {
  if (scenario().compression.codec == ExchangeCodec::kFp32) return;
  const std::size_t length = part.entry.rows->spec().row_length;
  for (std::size_t i = 0; i < part.keys.size(); ++i) {
    GroupNode& owner = world_.node(core_.map().home(part.entry.id, part.keys[i]));
    const auto known =
        owner.core().groups().exchanges().shadows().find(self_, part.entry.id, part.keys[i]);
    const float* const own = part.memory.shadow.data() + i * length;
    if (known.size() == length && std::equal(known.begin(), known.end(), own)) continue;
    return world_.fail(fmt::format("node {} does not know what its owner believes of row {}",
                                   self_.value(), part.keys[i]));
  }
}

std::string GroupNode::describe() const {
  std::string text = fmt::format("node {} ({}{}, round {})", self_.value(), at_,
                                 is_dead_ ? ", dead" : "", core_.groups().rounds().round());
  for (const auto& [ticket, handle] : waiting_) text += ", " + core_.describe(ticket, now());
  return text;
}

}  // namespace godwit::sim
