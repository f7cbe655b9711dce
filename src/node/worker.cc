// node/worker.cc: a worker's pulls, pushes and sets: rows that are here straight from memory, the
// rest by ticket.
#include "godwit/worker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "clock/staleness.h"
#include "node/states.h"

namespace godwit {
namespace {

using Part = TableRows::Part;

std::uint32_t length_of(const TableRows& rows, Part part) {
  const RowLayout& layout = rows.layout();
  return static_cast<std::uint32_t>(part == Part::kWhole ? layout.row_floats()
                                                         : layout.value_length);
}

Result<> check_call(const WorkerState& worker, const TableState& table) {
  GODWIT_TRY(check_no_rows_held(*worker.session->node));
  if (table.session == worker.session) return {};
  return invalid_argument("table '{}' belongs to another session than worker {}",
                          table.entry.rows->spec().name, worker.id.value());
}

std::unique_ptr<CallUnderWay> spare_call(WorkerState& worker) {
  if (worker.spare.empty()) return std::make_unique<CallUnderWay>();
  auto call = std::move(worker.spare.back());
  worker.spare.pop_back();
  return call;
}

std::uint64_t remember(WorkerState& worker, std::unique_ptr<CallUnderWay> call) {
  worker.pending.emplace(++worker.last_call, std::move(call));
  return worker.last_call;
}

// Copies rows that lie one after the other to their positions.
void scatter(std::span<const float> rows, std::span<const std::uint32_t> positions,
             std::size_t row_length, std::span<float> to) {
  const float* row = rows.data();
  for (const std::uint32_t position : positions) {
    std::copy_n(row, row_length, to.data() + std::size_t{position} * row_length);
    row += row_length;
  }
}

// The keys at some positions, in worker.some_keys.
void gather_keys(WorkerState& worker, std::span<const Key> keys,
                 std::span<const std::uint32_t> positions) {
  worker.some_keys.resize(positions.size());
  std::transform(positions.begin(), positions.end(), worker.some_keys.begin(),
                 [&](std::uint32_t position) { return keys[position]; });
}

void gather_floats(WorkerState& worker, std::span<const float> floats,
                   std::span<const std::uint32_t> positions, std::size_t row_length) {
  worker.some_floats.resize(positions.size() * row_length);
  float* row = worker.some_floats.data();
  for (const std::uint32_t position : positions) {
    row = std::copy_n(floats.data() + std::size_t{position} * row_length, row_length, row);
  }
}

Result<> pull_some(WorkerState& worker, TableRows& rows, std::span<const Key> keys,
                   std::span<const std::uint32_t> positions, Part part, std::span<float> values) {
  const std::size_t length = length_of(rows, part);
  gather_keys(worker, keys, positions);
  worker.some_floats.resize(positions.size() * length);
  GODWIT_TRY(rows.pull(worker.some_keys, worker.some_floats, worker.scratch, part));
  scatter(worker.some_floats, positions, length, values);
  return {};
}

// Where rows are asked for that steps change: at home, for what a lease has fetched here is of an
// earlier step. Those whose home is here are read.
Result<> pull_at_home(WorkerState& worker, const Tables::Entry& table, std::span<const Key> keys,
                      Part part, std::span<float> values, KeySplit& split) {
  const Node& node = *worker.session->node;
  split.by(keys, node.nodes(), [&](Key key) { return node.map().home(table.id, key); });
  const auto here = split.of(node.self());
  if (here.empty()) return {};
  if (here.size() < keys.size()) return pull_some(worker, *table.rows, keys, here, part, values);
  return table.rows->pull(keys, values, worker.scratch, part);
}

// Sends the requests of a call for the rows of worker.missed. False if they must be looked for
// again.
Result<bool> send_call(WorkerState& worker, CallUnderWay& call, const Tables::Entry& table,
                       Purpose purpose, std::span<const Key> keys, std::uint32_t row_length,
                       std::vector<OutgoingRequest>& requests, bool from_home = false) {
  call.positions.clear();
  worker.some_keys.clear();
  for (const OutgoingRequest& request : requests) {
    call.positions.push_back(request.positions);
    for (const std::uint32_t position : request.positions) {
      worker.some_keys.push_back(keys[position]);
    }
  }
  GODWIT_TRY_ASSIGN(const bool is_sent,
                    worker.session->node->send(call.ticket, purpose, table, worker.some_keys,
                                               row_length, requests, from_home));
  if (is_sent) worker.remote_keys->add(worker.some_keys.size());
  return is_sent;
}

// Puts the rows of an answer where the batch wants them.
void place_answer(const CallUnderWay& call, const Arrived& answer) {
  const auto places = call.positions[answer.request];
  const std::size_t length = call.row_length;
  if (answer.positions.empty()) return scatter(answer.values, places, length, call.values);
  const float* row = answer.values.data();
  for (const std::uint32_t position : answer.positions) {
    std::copy_n(row, length, call.values.data() + std::size_t{places[position]} * length);
    row += length;
  }
}

// Whether a pull is for the parameters of the step that the worker is in. A table that it has only
// changed in other ways is none of the steps': there it sees its changes at once.
bool is_of_step(const WorkerState& worker, const TableState& table) {
  if (worker.step == 0 || !check_step_table(table.entry.rows->spec()).ok()) return false;
  return has_table(worker.stepped, table.entry.id) || !has_table(worker.changed, table.entry.id);
}

// REQUIRES: check_call() was asked.
Result<std::uint64_t> begin_pull(WorkerState& worker, const TableState& table,
                                 std::span<const Key> keys, std::span<float> values,
                                 Part part = Part::kValues, Tick stable = kNoTick) {
  Node& node = *worker.session->node;
  TableRows& rows = *table.entry.rows;
  worker.pulled_keys->add(keys.size());
  const bool in_step = is_of_step(worker, table);
  if (in_step) stable = Tick{static_cast<std::int64_t>(worker.step)};
  if (node.nodes() == 1) {
    GODWIT_TRY(rows.pull(keys, values, worker.scratch, part));
    return 0;
  }
  auto call = spare_call(worker);
  call->values = values;
  call->row_length = length_of(rows, part);
  for (;;) {
    worker.missed.clear();
    if (in_step) {
      GODWIT_TRY(rows.check_pull(keys, values.size(), part));
      GODWIT_TRY(pull_at_home(worker, table.entry, keys, part, values, call->split));
    } else {
      GODWIT_TRY(rows.pull_here(keys, values, worker.scratch, worker.missed, part));
      if (worker.missed.empty()) break;
      GODWIT_TRY(node.locate(table.entry, keys, worker.missed, call->split,
                             [&](std::span<const std::uint32_t> here) {
                               return pull_some(worker, rows, keys, here, part, values);
                             }));
    }
    call->ticket = node.reserve();
    auto requests =
        node.router().write_pulls(call->ticket, table.entry.id, keys, call->row_length,
                                  call->split.groups(), part == Part::kWhole, stable, in_step);
    if (requests.empty()) break;
    GODWIT_TRY_ASSIGN(const bool is_sent,
                      send_call(worker, *call, table.entry, {"pull", keys.size()}, keys,
                                call->row_length, requests, in_step));
    if (is_sent) return remember(worker, std::move(call));
  }
  worker.spare.push_back(std::move(call));
  return 0;
}

// Others are to know of rows that were changed here.
void note_pushed(Node& node, const Tables::Entry& table, std::span<const Key> keys) {
  if (table.rows->take_has_touched()) node.note_touched();
  if (is_bounded(table.rows->spec().consistency)) node.note_pushed(table.id, keys);
}

// Changes the rows of worker.missed that are here after all; those that are not stay missed.
Result<> push_missed(WorkerState& worker, TableRows& rows, std::span<const Key> keys,
                     std::span<const float> gradients) {
  gather_keys(worker, keys, worker.missed);
  gather_floats(worker, gradients, worker.missed, rows.spec().row_length);
  worker.still_missed.clear();
  GODWIT_TRY(
      rows.push_here(worker.some_keys, worker.some_floats, worker.scratch, worker.still_missed));
  for (std::uint32_t& position : worker.still_missed) position = worker.missed[position];
  worker.missed.swap(worker.still_missed);
  return {};
}

Result<std::uint64_t> begin_push(WorkerState& worker, const TableState& table,
                                 std::span<const Key> keys, std::span<const float> gradients) {
  GODWIT_TRY(check_call(worker, table));
  Node& node = *worker.session->node;
  TableRows& rows = *table.entry.rows;
  worker.pushed_keys->add(keys.size());
  note_table(worker.changed, table.entry.id);
  if (is_bsp(rows.spec().consistency)) {
    GODWIT_TRY(rows.check_change(keys, gradients));
    log_of(worker, table.entry).push(keys, gradients);
    return 0;
  }
  if (node.nodes() == 1) {
    GODWIT_TRY(rows.push(keys, gradients, worker.scratch));
    return 0;
  }
  GODWIT_TRY(rows.check_change(keys, gradients));
  worker.missed.clear();
  GODWIT_TRY(rows.push_here(keys, gradients, worker.scratch, worker.missed));
  auto call = spare_call(worker);
  call->values = {};
  while (!worker.missed.empty()) {
    GODWIT_TRY(node.locate(table.entry, keys, worker.missed, call->split,
                           [&](std::span<const std::uint32_t> here) {
                             gather_keys(worker, keys, here);
                             gather_floats(worker, gradients, here, rows.spec().row_length);
                             return rows.push(worker.some_keys, worker.some_floats, worker.scratch);
                           }));
    call->ticket = node.reserve();
    auto requests =
        node.router().write_pushes(call->ticket, table.entry.id, PushMode::kPush, keys, gradients,
                                   rows.spec().row_length, call->split.groups());
    if (requests.empty()) break;
    GODWIT_TRY_ASSIGN(const bool is_sent, send_call(worker, *call, table.entry,
                                                    {"push", keys.size()}, keys, 0, requests));
    if (is_sent) {
      note_pushed(node, table.entry, keys);
      return remember(worker, std::move(call));
    }
    const auto here = call->split.of(node.self());  // these are done
    std::erase_if(worker.missed, [&](std::uint32_t position) {
      return std::find(here.begin(), here.end(), position) != here.end();
    });
    GODWIT_TRY(push_missed(worker, rows, keys, gradients));
  }
  note_pushed(node, table.entry, keys);
  worker.spare.push_back(std::move(call));
  return 0;
}

Result<std::uint64_t> begin_set(WorkerState& worker, const TableState& table, PushMode mode,
                                std::span<const Key> keys, std::span<const float> values) {
  GODWIT_TRY(check_call(worker, table));
  Node& node = *worker.session->node;
  TableRows& rows = *table.entry.rows;
  worker.set_keys->add(keys.size());
  note_table(worker.changed, table.entry.id);
  const bool is_reset = mode == PushMode::kSetResetState;
  if (is_bsp(rows.spec().consistency)) {
    GODWIT_TRY(rows.check_change(keys, values));
    log_of(worker, table.entry).set(keys, values, is_reset);
    return 0;
  }
  if (node.nodes() == 1) {
    GODWIT_TRY(rows.set(keys, values, is_reset, worker.scratch));
    return 0;
  }
  GODWIT_TRY(rows.check_change(keys, values));
  auto call = spare_call(worker);
  call->values = {};
  call->ticket = node.reserve();
  GODWIT_TRY_ASSIGN(const bool is_sent,
                    node.set_rows(table.entry, call->ticket, mode, keys, values));
  if (is_sent) return remember(worker, std::move(call));
  worker.spare.push_back(std::move(call));
  return 0;
}

Result<> finish(WorkerState& worker, std::uint64_t number) {
  if (number == 0) return {};
  GODWIT_TRY(check_no_rows_held(*worker.session->node));
  auto found = worker.pending.extract(number);
  if (found.empty()) return invalid_argument("this ticket was waited for already");
  std::unique_ptr<CallUnderWay> call = std::move(found.mapped());
  GODWIT_TRY_ASSIGN(const Waits::Outcome outcome, worker.session->node->wait(call->ticket));
  for (const Arrived& answer : outcome.answers) place_answer(*call, answer);
  worker.spare.push_back(std::move(call));
  return {};
}

}  // namespace

WorkerState::WorkerState(std::shared_ptr<SessionState> session_of, WorkerId worker)
    : session(std::move(session_of)),
      id(worker),
      pulled_keys(session->node->metrics().counter("pull.keys").make_cell()),
      pushed_keys(session->node->metrics().counter("push.keys").make_cell()),
      set_keys(session->node->metrics().counter("set.keys").make_cell()),
      remote_keys(session->node->metrics().counter("remote.keys").make_cell()),
      leased_keys(session->node->metrics().counter("lease.keys").make_cell()),
      exchanged_keys(session->node->metrics().counter("exchange.keys").make_cell()) {}

WorkerState::~WorkerState() {
  std::optional<Error> lost;
  if (auto sent = send_changes(*this); !sent.ok()) lost = std::move(sent).error();
  session->node->end_worker(*schedule, lost);
}

Worker::Worker(std::unique_ptr<WorkerState> state) : state_(std::move(state)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

WorkerId Worker::id() const {
  return state_->id;
}

Tick Worker::tick() const {
  return state_->tick;
}

// Rows of other nodes that are here may be too old: they are read through a lease.
Result<> Worker::pull_bounded(const Table& table, std::span<const Key> keys,
                              std::span<float> floats, bool whole_rows) {
  TableRows& rows = *table.state_->entry.rows;
  const TableSpec& spec = rows.spec();
  const Part part = whole_rows ? Part::kWhole : Part::kValues;
  Node& node = *state_->session->node;
  GODWIT_TRY(rows.check_pull(keys, floats.size(), part));
  if (node.nodes() > 1 && spec.rule.additive()) {
    const Tick next{tick().value() + 1};
    GODWIT_TRY_ASSIGN(Lease lease, intend(table, keys, tick(), next, Use::kRead));
    GODWIT_TRY(wait_for_rows(lease));
    state_->pulled_keys->add(keys.size());
    GODWIT_TRY(rows.pull(keys, floats, state_->scratch, part));
    return close(lease);
  }
  const Tick need = node.needed(spec.consistency, tick());
  GODWIT_TRY(node.wait_until_stable(*state_->schedule, need));
  GODWIT_TRY_ASSIGN(const std::uint64_t call,
                    begin_pull(*state_, *table.state_, keys, floats, part, need));
  return finish(*state_, call);
}

Result<> Worker::pull(const Table& table, std::span<const Key> keys, std::span<float> values) {
  GODWIT_TRY_ASSIGN(const Ticket ticket, pull_async(table, keys, values));
  return wait(ticket);
}

Result<Ticket> Worker::pull_async(const Table& table, std::span<const Key> keys,
                                  std::span<float> values) {
  GODWIT_TRY(check_call(*state_, *table.state_));
  const TableSpec& spec = table.spec();
  if (is_bounded(spec.consistency)) {
    GODWIT_TRY(is_bsp(spec.consistency) ? pull_bsp(table, keys, values)
                                        : pull_bounded(table, keys, values, false));
    return Ticket();
  }
  GODWIT_TRY_ASSIGN(const std::uint64_t call, begin_pull(*state_, *table.state_, keys, values));
  return Ticket(call);
}

Result<> Worker::push(const Table& table, std::span<const Key> keys,
                      std::span<const float> gradients) {
  GODWIT_TRY_ASSIGN(const std::uint64_t call, begin_push(*state_, *table.state_, keys, gradients));
  return finish(*state_, call);
}

Result<Ticket> Worker::push_async(const Table& table, std::span<const Key> keys,
                                  std::span<const float> gradients) {
  GODWIT_TRY_ASSIGN(const std::uint64_t call, begin_push(*state_, *table.state_, keys, gradients));
  return Ticket(call);
}

Result<> Worker::wait(Ticket ticket) {
  return finish(*state_, ticket.number_);
}

Result<> Worker::set(const Table& table, std::span<const Key> keys, std::span<const float> values,
                     OptimizerState state) {
  const bool reset = state == OptimizerState::kReset;
  GODWIT_TRY_ASSIGN(
      const std::uint64_t call,
      begin_set(*state_, *table.state_, reset ? PushMode::kSetResetState : PushMode::kSetKeepState,
                keys, values));
  return finish(*state_, call);
}

}  // namespace godwit
