// node/worker_exchange.cc: a worker's exchanges with tables (godwit/groups.h).
#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "godwit/worker.h"
#include "node/states.h"

namespace godwit {

Result<ExchangeTicket> Worker::exchange_async(const Table& table, const ExchangeOptions& options,
                                              std::span<const Key> keys, std::span<float> values) {
  Node& node = *state_->session->node;
  GODWIT_TRY(check_no_rows_held(node));
  const Tables::Entry& entry = table.state_->entry;
  if (table.state_->session != state_->session) {
    return invalid_argument("table '{}' belongs to another session than worker {}",
                            entry.rows->spec().name, state_->id.value());
  }
  ExchangeMemory& memory =
      state_->exchange_memory[{entry.id, keys.empty() ? Key{0} : keys.front()}];
  auto pending = std::make_unique<PendingExchange>();
  pending->memory = &memory;
  const ExchangeCall::Target target{.table = entry.id, .spec = &entry.rows->spec()};
  GODWIT_TRY_ASSIGN(pending->ticket,
                    node.exchange(pending->call, target, options, keys, values, memory));
  state_->exchanged_keys->add(keys.size());
  state_->exchanges.emplace(++state_->last_call, std::move(pending));
  return ExchangeTicket(state_->last_call);
}

Result<ExchangeOutcome> Worker::wait(ExchangeTicket ticket) {
  Node& node = *state_->session->node;
  GODWIT_TRY(check_no_rows_held(node));
  auto found = state_->exchanges.extract(ticket.number_);
  if (found.empty()) return invalid_argument("this exchange was waited for already");
  PendingExchange& pending = *found.mapped();
  auto outcome = [&]() -> Result<ExchangeOutcome> {
    GODWIT_TRY_ASSIGN(const Waits::Outcome came, node.wait(pending.ticket));
    return pending.call.finish(came.answers);
  }();
  // What the owners know by now is not known here: the next exchange goes as a whole.
  if (!outcome.ok()) pending.memory->clear();
  return outcome;
}

Result<ExchangeOutcome> Worker::exchange(const Table& table, const ExchangeOptions& options,
                                         std::span<const Key> keys, std::span<float> values) {
  GODWIT_TRY_ASSIGN(const ExchangeTicket ticket, exchange_async(table, options, keys, values));
  return wait(ticket);
}

}  // namespace godwit
