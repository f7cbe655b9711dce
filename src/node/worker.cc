// node/worker.cc: a worker's calls: rows of this node straight from memory, the rest by ticket.
#include "godwit/worker.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "node/states.h"

namespace godwit {
namespace {

Result<> check_same_session(const WorkerState& worker, const TableState& table) {
  if (table.session == worker.session) return {};
  return invalid_argument("table '{}' belongs to another session than worker {}",
                          table.entry.rows->spec().name, worker.id.value());
}

std::unique_ptr<PendingCall> spare_call(WorkerState& worker) {
  if (worker.spare.empty()) return std::make_unique<PendingCall>();
  auto call = std::move(worker.spare.back());
  worker.spare.pop_back();
  return call;
}

std::uint64_t remember(WorkerState& worker, std::unique_ptr<PendingCall> call) {
  worker.pending.emplace(++worker.last_call, std::move(call));
  return worker.last_call;
}

// The positions of a split that belong to this node.
std::span<const std::uint32_t> local_part(const Split& split, NodeId self) {
  for (const Split::Group& group : split.groups()) {
    if (group.node == self) return group.positions;
  }
  return {};
}

void gather_keys(WorkerState& worker, std::span<const Key> keys,
                 std::span<const std::uint32_t> positions) {
  worker.local_keys.resize(positions.size());
  std::transform(positions.begin(), positions.end(), worker.local_keys.begin(),
                 [&](std::uint32_t position) { return keys[position]; });
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

Result<> pull_local(WorkerState& worker, TableRows& rows, std::span<const Key> keys,
                    std::span<const std::uint32_t> positions, std::span<float> values) {
  if (positions.empty()) return {};
  const std::size_t length = rows.spec().row_length;
  gather_keys(worker, keys, positions);
  worker.local_floats.resize(positions.size() * length);
  GODWIT_TRY(rows.pull(worker.local_keys, worker.local_floats, worker.scratch));
  scatter(worker.local_floats, positions, length, values);
  return {};
}

Result<> change_local(WorkerState& worker, TableRows& rows, PushMode mode,
                      std::span<const Key> keys, std::span<const std::uint32_t> positions,
                      std::span<const float> floats) {
  if (positions.empty()) return {};
  const std::size_t length = rows.spec().row_length;
  gather_keys(worker, keys, positions);
  worker.local_floats.resize(positions.size() * length);
  float* row = worker.local_floats.data();
  for (const std::uint32_t position : positions) {
    row = std::copy_n(floats.data() + std::size_t{position} * length, length, row);
  }
  if (mode == PushMode::kPush) {
    return rows.push(worker.local_keys, worker.local_floats, worker.scratch);
  }
  return rows.set(worker.local_keys, worker.local_floats, mode == PushMode::kSetResetState,
                  worker.scratch);
}

// Sends the requests of a call; the call is pending from then on.
Result<std::uint64_t> begin_call(WorkerState& worker, std::unique_ptr<PendingCall> call,
                                 Purpose purpose, std::vector<OutgoingRequest> requests,
                                 std::uint32_t row_length) {
  call->positions.clear();
  for (const OutgoingRequest& request : requests) call->positions.push_back(request.positions);
  GODWIT_TRY(worker.session->node->send(call->ticket, purpose, row_length, std::move(requests)));
  return remember(worker, std::move(call));
}

// Puts the rows of an answer where the batch wants them.
void place_answer(const PendingCall& call, const Arrived& answer) {
  const auto places = call.positions[answer.request];
  const std::size_t length = call.row_length;
  if (answer.positions.empty()) return scatter(answer.values, places, length, call.values);
  const float* row = answer.values.data();
  for (const std::uint32_t position : answer.positions) {
    std::copy_n(row, length, call.values.data() + std::size_t{places[position]} * length);
    row += length;
  }
}

Result<std::uint64_t> begin_pull(WorkerState& worker, const TableState& table,
                                 std::span<const Key> keys, std::span<float> values) {
  GODWIT_TRY(check_same_session(worker, table));
  Node& node = *worker.session->node;
  TableRows& rows = *table.entry.rows;
  worker.pulled_keys->add(keys.size());
  if (node.nodes() == 1) {
    GODWIT_TRY(rows.pull(keys, values, worker.scratch));
    return 0;
  }
  GODWIT_TRY(rows.check_pull(keys, values.size()));
  auto call = spare_call(worker);
  node.router().split(table.entry.id, keys, call->split);
  if (keys.empty() || call->split.is_all(node.self())) {
    worker.spare.push_back(std::move(call));
    GODWIT_TRY(rows.pull(keys, values, worker.scratch));
    return 0;
  }
  const auto local = local_part(call->split, node.self());
  worker.remote_keys->add(keys.size() - local.size());
  call->ticket = node.reserve();
  call->values = values;
  call->row_length = rows.spec().row_length;
  auto requests =
      node.router().write_pulls(call->ticket, table.entry.id, keys, call->row_length, call->split);
  GODWIT_TRY_ASSIGN(const std::uint64_t number,
                    begin_call(worker, std::move(call), {"pull", keys.size()}, std::move(requests),
                               rows.spec().row_length));
  // Read while the answers are on their way.
  GODWIT_TRY(pull_local(worker, rows, keys, local, values));
  return number;
}

Result<std::uint64_t> begin_change(WorkerState& worker, const TableState& table, PushMode mode,
                                   std::span<const Key> keys, std::span<const float> floats) {
  GODWIT_TRY(check_same_session(worker, table));
  Node& node = *worker.session->node;
  TableRows& rows = *table.entry.rows;
  GODWIT_TRY(rows.check_change(keys, floats));
  auto call = spare_call(worker);
  node.router().split(table.entry.id, keys, call->split);
  const auto local = local_part(call->split, node.self());
  worker.remote_keys->add(keys.size() - local.size());
  call->ticket = node.reserve();
  call->values = {};
  auto requests = node.router().write_pushes(call->ticket, table.entry.id, mode, keys, floats,
                                             rows.spec().row_length, call->split);
  if (requests.empty()) {
    GODWIT_TRY(change_local(worker, rows, mode, keys, local, floats));
    worker.spare.push_back(std::move(call));
    return 0;
  }
  const char* verb = mode == PushMode::kPush ? "push" : "set";
  GODWIT_TRY_ASSIGN(
      const std::uint64_t number,
      begin_call(worker, std::move(call), {verb, keys.size()}, std::move(requests), 0));
  GODWIT_TRY(change_local(worker, rows, mode, keys, local, floats));
  return number;
}

Result<std::uint64_t> begin_push(WorkerState& worker, const TableState& table,
                                 std::span<const Key> keys, std::span<const float> gradients) {
  worker.pushed_keys->add(keys.size());
  if (worker.session->node->nodes() > 1) {
    return begin_change(worker, table, PushMode::kPush, keys, gradients);
  }
  GODWIT_TRY(check_same_session(worker, table));
  GODWIT_TRY(table.entry.rows->push(keys, gradients, worker.scratch));
  return 0;
}

Result<> finish(WorkerState& worker, std::uint64_t number) {
  if (number == 0) return {};
  auto found = worker.pending.extract(number);
  if (found.empty()) return invalid_argument("this ticket was waited for already");
  std::unique_ptr<PendingCall> call = std::move(found.mapped());
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
      remote_keys(session->node->metrics().counter("remote.keys").make_cell()) {}

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

Result<> Worker::pull(const Table& table, std::span<const Key> keys, std::span<float> values) {
  GODWIT_TRY_ASSIGN(const std::uint64_t call, begin_pull(*state_, *table.state_, keys, values));
  return finish(*state_, call);
}

Result<> Worker::push(const Table& table, std::span<const Key> keys,
                      std::span<const float> gradients) {
  GODWIT_TRY_ASSIGN(const std::uint64_t call, begin_push(*state_, *table.state_, keys, gradients));
  return finish(*state_, call);
}

Result<Ticket> Worker::pull_async(const Table& table, std::span<const Key> keys,
                                  std::span<float> values) {
  GODWIT_TRY_ASSIGN(const std::uint64_t call, begin_pull(*state_, *table.state_, keys, values));
  return Ticket(call);
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
  state_->set_keys->add(keys.size());
  const bool reset = state == OptimizerState::kReset;
  GODWIT_TRY_ASSIGN(
      const std::uint64_t call,
      begin_change(*state_, *table.state_,
                   reset ? PushMode::kSetResetState : PushMode::kSetKeepState, keys, values));
  return finish(*state_, call);
}

Result<> Worker::advance() {
  state_->tick = Tick{state_->tick.value() + 1};
  return {};
}

}  // namespace godwit
