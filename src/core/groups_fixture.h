// core/groups_fixture.h: jobs with groups for tests: table nodes and ranks, whose state machines
// are wired to each other. Owned by one test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/core_fixture.h"
#include "core/exchange_call.h"

namespace godwit {

// An exchange under way.
struct RankExchange {
  std::int64_t node = 0;
  TicketId ticket;
  ExchangeCall call;
};

class GroupCores : public WiredCores {
 public:
  GroupCores(std::int64_t servers, std::int64_t ranks, GroupPatience patience = {})
      : WiredCores({.nodes = servers + ranks,
                    .servers = servers,
                    .rejoin_within = std::chrono::seconds(30),
                    .group_patience = patience}) {
    connect();
  }

  TicketId begin_join(std::int64_t node, const GroupPlace& place) {
    const TicketId ticket = core(node).waits().reserve();
    core(node).join_group(ticket, place, now);
    return ticket;
  }
  // Groups of one rank each: node i is group i - servers.
  void join_all(std::int64_t servers) {
    for (std::int64_t node = servers; node < nodes(); ++node) {
      const Waits::Outcome outcome = finish(node, begin_join(node, {.group = node - servers}));
      ASSERT_FALSE(outcome.error.has_value()) << outcome.error->message();
    }
  }
  void progress(std::int64_t node, std::uint64_t step) {
    core(node).groups().progress(step, now);
    run();
  }

  // As Node::exchange() does it.
  Result<std::unique_ptr<RankExchange>> begin(std::int64_t node, TableId table,
                                              const ExchangeOptions& options,
                                              std::span<const Key> keys, std::span<float> values,
                                              ExchangeMemory& memory) {
    NodeCore& at = core(node);
    auto exchange = std::make_unique<RankExchange>();
    exchange->node = node;
    exchange->ticket = at.waits().reserve();
    const ExchangeCall::Target target{.ticket = exchange->ticket,
                                      .table = table,
                                      .spec = &tables(node).find(table)->spec(),
                                      .group = at.groups().own()};
    auto requests = exchange->call.begin(at.map(), target, options, keys, values, memory);
    if (!requests.ok()) return requests.error();
    std::optional<RoundPart> part;
    if (options.mode == ExchangeMode::kSync && options.ends_round) {
      part = {.round = options.round,
              .life = target.group->life,
              .group = target.group->group,
              .rank = static_cast<std::uint32_t>(at.groups().place().rank),
              .size = target.group->size};
    }
    at.exchange(exchange->ticket, {"exchange", keys.size()}, std::move(*requests), part, now);
    return exchange;
  }
  bool is_done(const RankExchange& exchange) {
    return core(exchange.node).waits().is_done(exchange.ticket);
  }
  Result<ExchangeOutcome> end(RankExchange& exchange) {
    Waits::Outcome outcome = finish(exchange.node, exchange.ticket);
    if (outcome.error) return std::move(*outcome.error);
    return exchange.call.finish(outcome.answers);
  }
  Result<ExchangeOutcome> exchange(std::int64_t node, TableId table, const ExchangeOptions& options,
                                   std::span<const Key> keys, std::span<float> values,
                                   ExchangeMemory& memory) {
    auto begun = begin(node, table, options, keys, values, memory);
    if (!begun.ok()) return begun.error();
    return end(**begun);
  }
  Result<ExchangeOutcome> exchange(std::int64_t node, TableId table, const ExchangeOptions& options,
                                   std::span<const Key> keys, std::span<float> values) {
    ExchangeMemory memory;
    return exchange(node, table, options, keys, values, memory);
  }
  // A row as it is at its owner.
  std::vector<float> row(TableId table, Key key) {
    TableRows& rows = *tables(core(0).map().home(table, key).value()).find(table);
    std::vector<float> values(rows.spec().row_length);
    RowScratch scratch;
    rows.pull({&key, 1}, values, scratch).value();
    return values;
  }
};

inline TableSpec exchange_spec(const Rule& rule, std::uint32_t row_length = 4,
                               std::uint64_t rows = 8) {
  return {.name = "parameters",
          .rows = rows,
          .row_length = row_length,
          .rule = rule,
          .placement = Placement::kStatic};
}

}  // namespace godwit
