// core/shared_rows_copy.cc: the side of who has a copy: makes items, takes refreshes and
// acknowledgements.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/shared_rows.h"

namespace godwit {

// One item per row at a time: what comes meanwhile waits for its acknowledgement.
void SharedRows::make_item(RowId id) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr) return;
  entry->is_due = false;
  if (entry->owned || entry->sent) return tidy(id);
  TableRows& table = rows(id.table);
  std::vector<float> delta;
  const bool is_off = !entry->wants;
  if (entry->copy) {
    auto held = table.hold_if_there(id.key);
    GODWIT_CHECK(held.has_value());
    const auto row = held->floats();
    std::vector<float>& base = entry->copy->base;
    if (std::memcmp(row.data(), base.data(), row.size_bytes()) != 0) {
      delta.resize(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) delta[i] = row[i] - base[i];
      std::copy(row.begin(), row.end(), base.begin());
    }
    if (is_off) {
      table.erase(id.key, *std::move(held));
      entry->copy.reset();
    }
  }
  const bool is_news = entry->wants != entry->told;
  if (delta.empty() && !is_news) return tidy(id);

  ItemRecord item{.key = id.key,
                  .sequence = ++sequence_,
                  .origin = static_cast<std::uint32_t>(self_.value()),
                  .has_delta = static_cast<std::uint8_t>(delta.empty() ? 0 : 1)};
  if (is_news) {
    item.want = static_cast<std::uint8_t>(entry->wants ? Want::kOn : Want::kOff);
    entry->told = entry->wants;
    if (entry->wants) entry->on_sequence = item.sequence;
  }
  entry->sent = SentItem{.sequence = item.sequence, .delta = delta};
  const auto sent = handle_item(id, item, delta);
  GODWIT_CHECK(sent.ok());  // not owned here, so it was sent on
}

Result<> SharedRows::on_acks(const RowAcks& acks) {
  for (const AckRecord& ack : acks.records) {
    acknowledged({acks.table, ack.key}, ack.sequence, ack.moves);
  }
  return {};
}

void SharedRows::acknowledged(RowId id, std::uint64_t sequence, std::uint32_t moves) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr || entry->owned) return;
  // Refreshes of earlier owners may lack what this one has.
  if (entry->copy) entry->copy->moves = std::max(entry->copy->moves, moves);
  if (!entry->sent || entry->sent->sequence != sequence) return;
  entry->sent.reset();
  if (entry->copy || entry->wants != entry->told) make_due(id, *entry);
  tidy(id);
}

Result<> SharedRows::on_refreshes(const RowRefreshes& refreshes) {
  TableRows* const table = tables_.find(refreshes.table);
  if (table == nullptr || refreshes.row_floats != table->layout().row_floats()) {
    return corruption("refreshes of {} floats came for table {}", refreshes.row_floats,
                      refreshes.table.value());
  }
  std::span<const float> floats = refreshes.floats;
  for (const RefreshRecord& record : refreshes.records) {
    GODWIT_TRY(table->check_pull({&record.key, 1}, table->spec().row_length));
    take_refresh({refreshes.table, record.key}, record, floats.first(refreshes.row_floats));
    floats = floats.subspan(refreshes.row_floats);
  }
  return {};
}

void SharedRows::take_refresh(RowId id, const RefreshRecord& record, std::span<const float> row) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr || entry->owned) return;
  if (!entry->copy) {
    if (!entry->told || record.contains < entry->on_sequence) return;
  } else if (record.moves < entry->copy->moves || record.version < entry->copy->version) {
    return;
  }
  auto held = rows(id.table).hold(id.key);
  if (!held.ok()) return;  // no memory: the row is read at its owner
  const bool lacks_sent =
      entry->sent && entry->sent->sequence > record.contains && !entry->sent->delta.empty();
  const auto here = held->floats();
  std::vector<float> base(row.begin(), row.end());
  if (lacks_sent) {
    for (std::size_t i = 0; i < base.size(); ++i) base[i] += entry->sent->delta[i];
  }
  for (std::size_t i = 0; i < base.size(); ++i) {
    here[i] = entry->copy ? base[i] + (here[i] - entry->copy->base[i]) : base[i];
  }
  rows(id.table).set_shared(*held, true);
  entry->copy = RowCopy{.version = record.version, .moves = record.moves, .base = std::move(base)};
}

}  // namespace godwit
