// sim/group_ledger.h: what ranks have sent, what owners have done with it, and what must have come
// of that: the rows as a plain loop has them. Owned by one world.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/round_leader.h"
#include "sim/group_scenario.h"
#include "store/rule_oracle.h"
#include "wire/exchange_messages.h"

namespace godwit::sim {

// One exchange of one table, as its rank sees it.
struct SentExchange {
  NodeId node;
  std::uint64_t life = 0;    // of the node, as the world counts
  std::uint64_t ticket = 0;  // in that life
  std::size_t table = 0;
  std::uint64_t round = 0;
  GroupRecord group;
  std::uint64_t samples = 0;
  std::vector<Key> keys;
  std::vector<float> sent;   // what the owners take the values for
  std::vector<float> moved;  // of kElastic: what owners say, row after row
  std::set<Key> applied;
};

class GroupLedger {
 public:
  using Fail = std::function<void(const std::string& what)>;

  // REQUIRES: the scenario outlives this.
  GroupLedger(const GroupScenario& scenario, Fail fail);

  // A rank sends; before anybody has it.
  void note_sent(SentExchange exchange);
  // An owner has changed a row.
  void note_applied(NodeId from, std::uint64_t life, const Exchange& exchange, std::size_t row,
                    std::span<const float> result);
  // The coordinator ends a round.
  void note_end(const RoundLeader::End& end);

  // What must be in a row of its owner, whose round this is.
  std::span<const float> row(std::size_t table, Key key, std::uint64_t round) const;
  // An exchange of a rank is done: it was applied exactly once, and the rank has what it must have.
  void check_done(NodeId node, std::uint64_t life, std::uint64_t ticket,
                  const ExchangeOutcome& outcome, std::span<const float> before,
                  std::span<const float> after);

  std::uint64_t applied() const { return applied_; }  // rows
  std::uint64_t rounds() const { return round_ - 1; }
  // Rounds that ended without a group that had sent something.
  std::uint64_t without() const { return without_; }

 private:
  using Id = std::tuple<std::int64_t, std::uint64_t, std::uint64_t>;  // node, life, ticket
  OracleRow& oracle(std::size_t table, Key key) { return rows_[table][key]; }
  void apply_at_once(SentExchange& sent, std::size_t row, std::span<const float> result);
  void fold(std::size_t table, std::span<const SentExchange* const> chosen);
  bool is_plain() const { return scenario_.compression.codec == ExchangeCodec::kFp32; }

  const GroupScenario& scenario_;
  const Fail fail_;
  std::map<Id, SentExchange> sent_;
  std::vector<std::vector<OracleRow>> rows_;  // by table and key; as after the last round
  // Of kSync: values by table and key, in each round.
  std::vector<std::vector<std::vector<std::vector<float>>>> history_;
  std::map<std::uint64_t, std::set<std::pair<std::uint32_t, std::uint64_t>>> chosen_;  // by round
  std::uint64_t round_ = 1;
  std::uint64_t applied_ = 0;
  std::uint64_t without_ = 0;
};

}  // namespace godwit::sim
