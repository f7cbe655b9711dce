// core/sync_rounds.cc: keeps, folds, lets go.
#include "core/sync_rounds.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/errors.h"

namespace godwit {

void SyncRounds::add(NodeId from, const Exchange& exchange, std::span<const float> sums) {
  Round& round = rounds_[exchange.round];
  const GroupLife of{exchange.group, exchange.life};
  round.sums.push_back({.from = from,
                        .of = of,
                        .table = exchange.table,
                        .samples = exchange.samples,
                        .keys = {exchange.keys.begin(), exchange.keys.end()},
                        .floats = {sums.begin(), sums.end()}});
  round.waiters.push_back({.from = from,
                           .request = exchange.request,
                           .table = exchange.table,
                           .group = exchange.group,
                           .life = exchange.life,
                           .reply = exchange.reply,
                           .is_whole = exchange.is_whole,
                           .keeps_shadow = exchange.keeps_shadow,
                           .keys = {exchange.keys.begin(), exchange.keys.end()}});
}

void SyncRounds::on_part(const RoundPart& part) {
  if (part.round < round_ || part.round > round_ + 1) return;
  Parts& parts = rounds_[part.round].parts[{part.group, part.life}];
  parts.ranks.insert(part.rank);
  parts.size = part.size;
  tell_who_is_ready();
}

// Only of the present round: so nobody is more than one round ahead of this node.
void SyncRounds::tell_who_is_ready() {
  for (auto& [of, parts] : rounds_[round_].parts) {
    if (parts.is_told || parts.ranks.size() < parts.size) continue;
    parts.is_told = true;
    ready_.push_back({.round = round_, .life = of.second, .group = of.first});
  }
}

Result<> SyncRounds::end(const RoundEnds& ends) {
  if (ends.round != round_) {
    return corruption("round {} was ended in round {}", ends.round, round_);
  }
  Round ended = std::move(rounds_[round_]);
  rounds_.erase(round_++);
  std::set<GroupLife> chosen;
  for (const GroupRecord& group : ends.chosen) chosen.insert({group.group, group.life});
  std::erase_if(ended.sums, [&](const Sums& sums) { return !chosen.contains(sums.of); });
  fold(std::move(ended.sums));
  for (Waiter& waiter : ended.waiters) {
    waiter.is_counted = chosen.contains({waiter.group, waiter.life});
    answerable_.push_back(std::move(waiter));
  }
  tell_who_is_ready();
  return {};
}

void SyncRounds::fold(std::vector<Sums> sums) {
  // What came first among those of one node stays first.
  std::stable_sort(sums.begin(), sums.end(), [](const Sums& a, const Sums& b) {
    return std::tie(a.of, a.from) < std::tie(b.of, b.from);
  });
  std::map<TableId, Total> totals;
  for (const Sums& one : sums) {
    add_to(totals[one.table], one, tables_.find(one.table)->layout().value_length);
  }
  for (auto& [table, total] : totals) apply(table, total);
}

void SyncRounds::add_to(Total& total, const Sums& sums, std::size_t length) {
  // As a rule all groups bring the same rows in the same order: then they are where they were.
  std::size_t guess = 0;
  for (std::size_t i = 0; i < sums.keys.size(); ++i) {
    std::size_t place = guess;
    if (guess >= total.keys.size() || total.keys[guess] != sums.keys[i]) {
      const auto [found, is_new] = total.places.try_emplace(sums.keys[i], total.keys.size());
      place = found->second;
      if (is_new) {
        total.keys.push_back(sums.keys[i]);
        total.floats.resize(total.keys.size() * length);
        total.samples.push_back(0);
      }
    }
    guess = place + 1;
    total.samples[place] += sums.samples;
    float* const to = total.floats.data() + place * length;
    const float* const from = sums.floats.data() + i * length;
    for (std::size_t j = 0; j < length; ++j) to[j] += from[j];
  }
}

// Rows about which nobody has seen a sample stay as they are.
void SyncRounds::apply(TableId table, Total& total) {
  TableRows& rows = *tables_.find(table);
  const std::size_t length = rows.layout().value_length;
  std::vector<Key> keys;
  std::vector<float> means;
  for (std::size_t place = 0; place < total.keys.size(); ++place) {
    if (total.samples[place] == 0) continue;
    keys.push_back(total.keys[place]);
    const auto divisor = static_cast<float>(total.samples[place]);
    for (std::size_t j = 0; j < length; ++j) {
      means.push_back(total.floats[place * length + j] / divisor);
    }
  }
  const auto pushed = rows.push(keys, means, scratch_);
  if (!pushed.ok() && !failure_) failure_ = pushed.error();
}

void SyncRounds::forget(NodeId node) {
  const auto is_its = [&](const Waiter& waiter) { return waiter.from == node; };
  for (auto& [number, round] : rounds_) std::erase_if(round.waiters, is_its);
  std::erase_if(answerable_, is_its);
}

std::size_t SyncRounds::waiting() const {
  std::size_t count = 0;
  for (const auto& [number, round] : rounds_) count += round.waiters.size();
  return count;
}

}  // namespace godwit
