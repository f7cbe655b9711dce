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

std::vector<float> SharedRows::take_delta(RowCopy& copy, std::span<const float> row,
                                          RowCodec& codec) {
  if (std::memcmp(row.data(), copy.base.data(), row.size_bytes()) == 0) return {};
  std::vector<float> delta(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) delta[i] = row[i] - copy.base[i];
  coded_.resize(codec.words());
  if (codec.codec != Codec::kFp32 && codec.encode_with_feedback(delta, coded_)) {
    // `delta` is what was lost: it stays to be sent.
    for (std::size_t i = 0; i < row.size(); ++i) copy.base[i] = row[i] - delta[i];
    codec.decode(coded_, delta);
    return delta;
  }
  codec.codec = Codec::kFp32;
  std::copy(row.begin(), row.end(), copy.base.begin());
  return delta;
}

// One item per row at a time: what comes meanwhile waits for its acknowledgement.
void SharedRows::make_item(RowId id) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr) return;
  entry->is_due = false;
  if (entry->owned || entry->sent) return tidy(id);
  TableRows& table = rows(id.table);
  const bool is_off = !entry->wants;
  RowCodec codec = row_codec(id.table, is_off || is_flush_ ? Codec::kFp32 : table.spec().codec);
  std::vector<float> delta;
  if (entry->copy) {
    auto held = table.hold_if_there(id.key);
    GODWIT_CHECK(held.has_value());
    delta = take_delta(*entry->copy, held->floats(), codec);
    if (is_off) {
      table.erase(id.key, *std::move(held));
      entry->copy.reset();
    }
  }
  const bool is_news = entry->wants != entry->told;
  if (delta.empty() && !is_news) return tidy(id);

  ItemRecord item{.key = id.key,
                  .sequence = items_.begin(),
                  .origin = static_cast<std::uint32_t>(self_.value()),
                  .has_delta = static_cast<std::uint8_t>(delta.empty() ? 0 : 1)};
  if (is_news) {
    item.want = static_cast<std::uint8_t>(entry->wants ? Want::kOn : Want::kOff);
    entry->told = entry->wants;
    if (entry->wants) entry->on_sequence = item.sequence;
  }
  ++counts_.items;
  const bool is_plain = codec.codec == Codec::kFp32;
  entry->sent = SentItem{.sequence = item.sequence, .delta = delta};
  const auto words = is_plain ? std::span<const float>(delta) : std::span<const float>(coded_);
  const auto sent = handle_item(id, item, codec, delta.empty() ? std::span<const float>() : words);
  GODWIT_CHECK(sent.ok());  // not owned here, so it was sent on
}

Result<> SharedRows::on_acks(const RowAcks& acks) {
  for (const AckRecord& ack : acks.records) {
    acknowledged({acks.table, ack.key}, ack);
  }
  return {};
}

void SharedRows::acknowledged(RowId id, const AckRecord& ack) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr || entry->owned) return;
  // Refreshes of earlier owners may lack what this one has.
  if (entry->copy) entry->copy->moves = std::max(entry->copy->moves, ack.moves);
  if (!entry->sent || entry->sent->sequence != ack.sequence) return;
  entry->sent.reset();
  items_.end(ack.sequence);
  if (ack.is_refused != 0) {
    entry->told = false;
    if (std::exchange(entry->wants, false)) refused_.push_back(id);
  }
  if (entry->wants != entry->told) news_.push_back(id);
  if (entry->copy) make_due(id, *entry);
  tidy(id);
}

void SharedRows::overwrite_copy(RowId id, std::span<const float> values, bool reset_state) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr || !entry->copy) return;
  const auto held = rows(id.table).hold_if_there(id.key);
  GODWIT_CHECK(held.has_value());
  std::copy(values.begin(), values.end(), held->floats().begin());
  std::copy(values.begin(), values.end(), entry->copy->base.begin());
  if (!reset_state) return;
  const auto state = held->floats().subspan(values.size());
  std::fill(state.begin(), state.end(), 0.0F);
  std::fill(entry->copy->base.begin() + static_cast<std::ptrdiff_t>(values.size()),
            entry->copy->base.end(), 0.0F);
}

Result<> SharedRows::on_refreshes(const RowRefreshes& refreshes) {
  TableRows* const table = tables_.find(refreshes.table);
  if (table == nullptr ||
      refreshes.row_words != row_codec(refreshes.table, refreshes.codec).words()) {
    return corruption("refreshes of {} words came for table {}", refreshes.row_words,
                      refreshes.table.value());
  }
  const RowCodec codec = row_codec(refreshes.table, refreshes.codec);
  std::span<const float> words = refreshes.words;
  for (const RefreshRecord& record : refreshes.records) {
    GODWIT_TRY(table->check_pull({&record.key, 1}, table->spec().row_length));
    take_refresh({refreshes.table, record.key}, record,
                 decoded(codec, words.first(refreshes.row_words)));
    words = words.subspan(refreshes.row_words);
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
