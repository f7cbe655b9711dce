// sim/group_ledger.cc: a plain loop beside the owners of the rows.
#include "sim/group_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/waits.h"
#include "store/initial_row.h"

namespace godwit::sim {

GroupLedger::GroupLedger(const GroupScenario& scenario, Fail fail)
    : scenario_(scenario), fail_(std::move(fail)) {
  for (const TableSpec& spec : scenario.tables) {
    auto& rows = rows_.emplace_back(spec.rows);
    for (Key key = 0; key < spec.rows; ++key) {
      rows[key].value.resize(spec.row_length);
      fill_initial(spec.init, key, rows[key].value);
      rows[key].state.resize(spec.rule.state_length(spec.row_length));
    }
  }
  history_.resize(1);  // there is no round 0
  auto& first = history_.emplace_back();
  for (const auto& rows : rows_) {
    auto& values = first.emplace_back();
    for (const OracleRow& row : rows) values.push_back(row.value);
  }
}

void GroupLedger::note_sent(SentExchange exchange) {
  exchange.moved.resize(exchange.sent.size());
  const Id id{exchange.node.value(), exchange.life, exchange.ticket};
  sent_[id] = std::move(exchange);
}

void GroupLedger::note_applied(NodeId from, std::uint64_t life, const Exchange& exchange,
                               std::size_t row, std::span<const float> result) {
  ++applied_;
  const std::uint64_t ticket =
      static_cast<std::uint64_t>(Waits::ticket_of(exchange.request).value());
  const auto found = sent_.find({from.value(), life, ticket});
  const Key key = exchange.keys[row];
  if (found == sent_.end()) {
    return fail_(fmt::format("row {} was changed for an exchange that node {} never sent", key,
                             from.value()));
  }
  SentExchange& sent = found->second;
  const auto place = std::find(sent.keys.begin(), sent.keys.end(), key);
  if (place == sent.keys.end() || !sent.applied.insert(key).second) {
    return fail_(fmt::format("row {} was changed twice, or for nothing, by an exchange of node {}",
                             key, from.value()));
  }
  apply_at_once(sent, static_cast<std::size_t>(place - sent.keys.begin()), result);
}

void GroupLedger::apply_at_once(SentExchange& sent, std::size_t row,
                                std::span<const float> result) {
  const TableSpec& spec = scenario_.tables[sent.table];
  OracleRow& oracle_row = oracle(sent.table, sent.keys[row]);
  const std::size_t length = spec.row_length;
  const auto given = std::span<const float>(sent.sent).subspan(row * length, length);
  if (scenario_.mode != ExchangeMode::kElastic) return oracle_push(spec.rule, oracle_row, given);
  // By how much it moves depends on how many groups were live: one of few numbers.
  const auto is_right = [&](std::int64_t live) {
    const float alpha = spec.rule.learning_rate / static_cast<float>(live);
    for (std::size_t j = 0; j < length; ++j) {
      const float moved = alpha * (given[j] - oracle_row.value[j]);
      const float slack = is_plain() ? 0.0F : 0.02F * std::abs(moved) + 0.02F;
      if (!(std::abs(moved - result[j]) <= slack)) return false;
    }
    return true;
  };
  bool any = false;
  for (std::int64_t live = 1; live <= scenario_.groups + 1 && !any; ++live) any = is_right(live);
  if (!any) fail_(fmt::format("row {} moved by something else than alpha * d", sent.keys[row]));
  for (std::size_t j = 0; j < length; ++j) {
    oracle_row.value[j] += result[j];
    sent.moved[row * length + j] = result[j];
  }
}

void GroupLedger::fold(std::size_t table, std::span<const SentExchange* const> chosen) {
  const TableSpec& spec = scenario_.tables[table];
  const std::size_t length = spec.row_length;
  for (Key key = 0; key < spec.rows; ++key) {
    std::vector<float> sum(length);
    std::uint64_t samples = 0;
    for (const SentExchange* one : chosen) {
      const auto place = std::find(one->keys.begin(), one->keys.end(), key);
      if (one->table != table || place == one->keys.end()) continue;
      const auto row = static_cast<std::size_t>(place - one->keys.begin());
      for (std::size_t j = 0; j < length; ++j) sum[j] += one->sent[row * length + j];
      samples += one->samples;
    }
    if (samples == 0) continue;
    for (float& value : sum) value = value / static_cast<float>(samples);
    oracle_push(spec.rule, oracle(table, key), sum);
  }
}

void GroupLedger::note_end(const RoundLeader::End& end) {
  if (end.round != round_++) return fail_(fmt::format("round {} ended out of turn", end.round));
  auto& groups = chosen_[end.round];
  for (const GroupRecord& group : end.chosen) groups.insert({group.group, group.life});
  std::vector<const SentExchange*> chosen;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<NodeId>> senders;
  bool is_without = false;
  for (const auto& [id, sent] : sent_) {
    if (sent.round != end.round) continue;
    const std::pair of{sent.group.group, sent.group.life};
    if (!groups.contains(of)) {
      is_without = true;
      continue;
    }
    chosen.push_back(&sent);
    senders[of].insert(sent.node);
  }
  without_ += is_without ? 1 : 0;
  for (const auto& group : groups) {
    if (static_cast<std::int64_t>(senders[group].size()) == scenario_.ranks) continue;
    fail_(fmt::format("round {} ended with group {}, of which not all ranks have sent anything",
                      end.round, group.first));
  }
  std::stable_sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) {
    return std::tuple(a->group.group, a->group.life, a->node, a->ticket) <
           std::tuple(b->group.group, b->group.life, b->node, b->ticket);
  });
  auto& values = history_.emplace_back();
  for (std::size_t table = 0; table < rows_.size(); ++table) {
    fold(table, chosen);
    auto& of_table = values.emplace_back();
    for (const OracleRow& row : rows_[table]) of_table.push_back(row.value);
  }
}

std::span<const float> GroupLedger::row(std::size_t table, Key key, std::uint64_t round) const {
  if (scenario_.mode != ExchangeMode::kSync) return rows_[table][key].value;
  return history_[round][table][key];
}

void GroupLedger::check_done(NodeId node, std::uint64_t life, std::uint64_t ticket,
                             const ExchangeOutcome& outcome, std::span<const float> before,
                             std::span<const float> after) {
  const SentExchange& sent = sent_.at({node.value(), life, ticket});
  const auto wrong = [&](const char* what) {
    fail_(fmt::format("an exchange of node {}, ticket {}: {}", node.value(), ticket, what));
  };
  if (scenario_.mode != ExchangeMode::kSync) {
    if (sent.applied.size() != sent.keys.size()) wrong("it was not applied to all rows");
    for (std::size_t i = 0; i < after.size() && scenario_.mode == ExchangeMode::kElastic; ++i) {
      if (after[i] != before[i] - sent.moved[i]) return wrong("it lost what the rows did not get");
    }
    return;
  }
  const auto found = chosen_.find(sent.round);
  const bool is_chosen =
      found != chosen_.end() && found->second.contains({sent.group.group, sent.group.life});
  if (outcome.is_counted != is_chosen) wrong("whether it counted is told wrongly");
  if (outcome.is_counted && outcome.next_round != sent.round + 1) wrong("the next round is not");
  if (outcome.next_round <= sent.round) wrong("it was answered before its round ended");
  if (!outcome.is_counted || !is_plain()) return;
  const std::size_t length = scenario_.tables[sent.table].row_length;
  for (std::size_t i = 0; i < sent.keys.size(); ++i) {
    const auto expected = row(sent.table, sent.keys[i], outcome.next_round);
    if (std::equal(expected.begin(), expected.end(), after.data() + i * length)) continue;
    return wrong("the values are not those of the round");
  }
}

}  // namespace godwit::sim
