// core/shared_rows_owner.cc: the owner's side: applies items, decides who gets a copy or the row,
// hands it over and takes it over.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"
#include "core/shared_rows.h"

namespace godwit {
namespace {

void add_to(std::span<float> row, std::span<const float> delta) {
  for (std::size_t i = 0; i < delta.size(); ++i) row[i] += delta[i];
}

// A change in 8 bits is made good by the next one; a value in 8 bits is just wrong.
Codec refresh_codec(Codec codec) {
  return codec == Codec::kInt8 ? Codec::kBf16 : codec;
}

bool may_move(const TableSpec& table) {
  return table.placement != Placement::kReplicateAll &&
         table.placement != Placement::kReplicateOnly;
}

}  // namespace

RowCodec SharedRows::row_codec(TableId table, Codec codec) const {
  const RowLayout& layout = rows(table).layout();
  return {.codec = codec, .values = layout.value_length, .state = layout.state_length};
}

std::span<const float> SharedRows::decoded(const RowCodec& codec, std::span<const float> words) {
  if (codec.codec == Codec::kFp32 || words.empty()) return words;
  decoded_.resize(codec.values + codec.state);
  codec.decode(words, decoded_);
  return decoded_;
}

Result<> SharedRows::on_items(const RowItems& items) {
  TableRows* const table = tables_.find(items.table);
  if (table == nullptr) return corruption("items for table {}, which is not", items.table.value());
  const RowCodec codec = row_codec(items.table, items.codec);
  if (items.row_words != codec.words()) {
    return corruption("items of {} words for rows of {}", items.row_words, codec.words());
  }
  std::span<const float> left = items.words;
  for (const ItemRecord& item : items.records) {
    const auto words = left.first(item.has_delta != 0 ? items.row_words : 0);
    left = left.subspan(words.size());
    if (item.origin >= map_.nodes()) return corruption("an item of node {}", item.origin);
    GODWIT_TRY(table->check_pull({&item.key, 1}, table->spec().row_length));
    GODWIT_TRY(handle_item({items.table, item.key}, item, codec, words));
  }
  return {};
}

Result<> SharedRows::handle_item(RowId id, const ItemRecord& item, const RowCodec& codec,
                                 std::span<const float> words) {
  const Hop hop = next_hop(id, item.via_home != 0, item.claim);
  if (hop.kind == Hop::Kind::kHere) return apply_item(id, item, decoded(codec, words));
  if (hop.kind == Hop::Kind::kPark) {
    park(id, make_frame(kFirstTerm, RowItems{.table = id.table,
                                             .row_words = codec.words(),
                                             .codec = codec.codec,
                                             .records = {&item, 1},
                                             .words = words}));
    return {};
  }
  ItemRecord sent_on = item;
  sent_on.via_home = hop.via_home ? 1 : 0;
  sent_on.claim = hop.claim;
  outbound_.say(hop.node, id.table, codec.codec, codec.words(), sent_on, words);
  return {};
}

Result<> SharedRows::apply_item(RowId id, const ItemRecord& item, std::span<const float> delta) {
  const NodeId origin{item.origin};
  OwnedRow& row = owned(id);
  Sharer& sharer = row.of(origin);
  const bool is_new = item.sequence > sharer.seen;
  if (is_new) {
    sharer.seen = item.sequence;
    if (!delta.empty()) {
      GODWIT_TRY_ASSIGN(const HeldRow held, rows(id.table).hold(id.key));
      add_to(held.floats(), delta);
    }
    if (!delta.empty()) mark_dirty(id, row, origin);
  }
  const auto want = static_cast<Want>(item.want);
  const bool is_refused = want == Want::kOn && origin != self_ && !is_granted(id, origin);
  const AckRecord ack{.key = item.key,
                      .sequence = item.sequence,
                      .moves = row.moves,
                      .is_refused = is_refused ? 1U : 0U};
  if (origin == self_) {
    acknowledged(id, ack);
    return {};
  }
  outbound_.say(origin, id.table, ack);
  if (is_new && want != Want::kSame && !is_refused) {
    set_sharer_wants(id, origin, want == Want::kOn);
  }
  return {};
}

bool SharedRows::is_wanted_by_others(RowId id, NodeId node) const {
  if (is_used_here(id)) return true;
  const RowEntry* const entry = find(id);
  return entry != nullptr && entry->owned &&
         std::any_of(entry->owned->sharers.begin(), entry->owned->sharers.end(),
                     [node](const Sharer& other) { return other.wants && other.node != node; });
}

// A rule that is not additive cannot be run in two places.
bool SharedRows::is_granted(RowId id, NodeId node) const {
  const TableSpec& table = spec(id.table);
  const bool may_copy = table.rule.additive() && table.placement != Placement::kRelocateOnly;
  return may_copy || (may_move(table) && !is_in_place_ && !is_wanted_by_others(id, node));
}

void SharedRows::set_sharer_wants(RowId id, NodeId node, bool wants) {
  OwnedRow& row = owned(id);
  Sharer& sharer = row.of(node);
  sharer.wants = wants;
  sharer.has_copy = false;
  sharer.is_dirty = false;
  if (!wants) {
    if (auto held = rows(id.table).hold_if_there(id.key)) share_if_wanted(id, row, *held);
    return after_off(id);
  }
  if (may_move(spec(id.table)) && !is_in_place_ && !is_wanted_by_others(id, node)) {
    return transfer(id, node);
  }
  if (auto held = rows(id.table).hold(id.key); held.ok()) share_if_wanted(id, row, *held);
  sharer.has_copy = has_given_copies_ = true;
  refresh(id, row, sharer);  // it may be waited for
}

// Whoever is left wanting the row alone gets it.
void SharedRows::after_off(RowId id) {
  OwnedRow& row = owned(id);
  const auto wants = [](const Sharer& sharer) { return sharer.wants; };
  if (may_move(spec(id.table)) && !is_in_place_ && !is_used_here(id) &&
      std::count_if(row.sharers.begin(), row.sharers.end(), wants) == 1) {
    return transfer(id, std::find_if(row.sharers.begin(), row.sharers.end(), wants)->node);
  }
  tidy(id);
}

// Every copy but that of `but` lacks something from now on.
void SharedRows::mark_dirty(RowId id, OwnedRow& row, NodeId but) {
  ++row.version;
  bool is_any = false;
  for (Sharer& sharer : row.sharers) {
    if (!sharer.has_copy || sharer.node == but) continue;
    sharer.is_dirty = true;
    is_any = true;
  }
  if (is_any) dirty_.push_back(id);
}

void SharedRows::refresh(RowId id, OwnedRow& row, Sharer& sharer) {
  auto held = rows(id.table).hold(id.key);
  if (!held.ok()) {  // no memory for a row that nobody has touched: later
    dirty_.push_back(id);
    return;
  }
  rows(id.table).set_shared(*held, true);
  sharer.is_dirty = false;
  ++counts_.refreshes;
  outbound_.say(
      sharer.node, id.table, row_codec(id.table, refresh_codec(spec(id.table).codec)),
      RefreshRecord{
          .key = id.key, .version = row.version, .contains = sharer.seen, .moves = row.moves},
      held->floats());
}

void SharedRows::on_changed(TableId table, std::span<const Key> keys) {
  if (!has_given_copies_) return;
  for (const Key key : keys) {
    RowEntry* const entry = find_entry({table, key});
    if (entry != nullptr && entry->owned) mark_dirty({table, key}, *entry->owned, self_);
  }
}

void SharedRows::bring_up_to_date(NodeId origin, TableId table, std::span<const Key> keys) {
  for (const Key key : has_given_copies_ ? keys : std::span<const Key>()) {
    RowEntry* const entry = find_entry({table, key});
    if (entry == nullptr || !entry->owned) continue;
    Sharer* const sharer = entry->owned->find(origin);
    if (sharer == nullptr || !sharer->has_copy) continue;
    refresh({table, key}, *entry->owned, *sharer);
  }
  outbound_.flush(origin);
}

void SharedRows::move_anyway(RowId id, NodeId to) {
  if (owns(id) && to != self_ && owned(id).is_wanted_by(to)) transfer(id, to);
  tidy(id);
}

void SharedRows::transfer(RowId id, NodeId to) {
  GODWIT_CHECK(to != self_);
  TableRows& table = rows(id.table);
  const bool is_wanted_here = is_used_here(id);
  std::optional<HeldRow> held = table.hold_if_there(id.key);
  if (!held && is_wanted_here) {
    auto made = table.hold(id.key);
    if (!made.ok()) return tidy(id);  // no memory: it stays
    held.emplace(std::move(made).value());
  }
  const OwnedRow row = std::move(owned(id));
  RowEntry& entry = entries_.of(id);
  entry.owned.reset();
  const std::uint32_t moves = row.moves + 1;
  ++counts_.moved_out;

  std::vector<SharerRecord> sharers;
  bool is_self_listed = false;
  for (const Sharer& sharer : row.sharers) {
    const bool is_self = sharer.node == self_;
    is_self_listed = is_self_listed || is_self;
    const bool keeps = is_self && is_wanted_here;
    sharers.push_back({.seen = sharer.seen,
                       .node = static_cast<std::uint32_t>(sharer.node.value()),
                       .wants = static_cast<std::uint8_t>(sharer.wants || keeps ? 1 : 0),
                       .has_copy = static_cast<std::uint8_t>(
                           (sharer.has_copy && sharer.node != to) || keeps ? 1 : 0)});
  }
  if (is_wanted_here && !is_self_listed) {
    sharers.push_back(
        {.node = static_cast<std::uint32_t>(self_.value()), .wants = 1, .has_copy = 1});
  }
  outbound_.say(to, id.table,
                TransferRecord{.key = id.key,
                               .version = row.version,
                               .moves = moves,
                               .sharers = static_cast<std::uint32_t>(sharers.size())},
                sharers, held ? held->floats() : std::span<const float>());

  if (is_wanted_here) {
    entry.copy = RowCopy{.version = row.version,
                         .moves = moves,
                         .base = {held->floats().begin(), held->floats().end()}};
    table.set_shared(*held, true);
  } else if (held) {
    table.erase(id.key, *std::move(held));
  }
  entry.wants = entry.told = is_wanted_here;
  entry.on_sequence = 0;
  const PlaceRecord place{
      .key = id.key, .owner = static_cast<std::uint32_t>(to.value()), .moves = moves};
  if (home(id) == self_) {
    set_directory(id, entry, {to, moves});
  } else {
    entry.forward = Location{to, moves};
    if (home(id) != to) outbound_.say(home(id), id.table, PlaceNews::kHome, place);
  }
  tidy(id);
}

Result<> SharedRows::on_transfers(NodeId peer, const RowTransfers& transfers) {
  TableRows* const table = tables_.find(transfers.table);
  if (table == nullptr ||
      (transfers.row_floats != table->layout().row_floats() && transfers.row_floats != 0)) {
    return corruption("rows of {} floats came for table {}", transfers.row_floats,
                      transfers.table.value());
  }
  std::span<const SharerRecord> sharers = transfers.sharers;
  std::span<const float> floats = transfers.floats;
  for (const TransferRecord& record : transfers.records) {
    GODWIT_TRY(table->check_pull({&record.key, 1}, table->spec().row_length));
    GODWIT_TRY(take_over(peer, {transfers.table, record.key}, record, sharers.first(record.sharers),
                         floats.first(transfers.row_floats)));
    sharers = sharers.subspan(record.sharers);
    floats = floats.subspan(transfers.row_floats);
  }
  return {};
}

// What was added to a visit stays with the row: it is merged like that of a copy. What an exchange
// carried that is under way is in the row already.
void SharedRows::end_visit(RowId id, RowEntry& entry) {
  WantedRow* const row = wanted_.find(id);
  if (row == nullptr || row->stage == Stage::kLeaving) return;
  if (row->stage == Stage::kVisiting) {
    FloatBlocks& bases = wanted_.bases(id.table, rows(id.table).layout().row_floats());
    const float* const base = bases.at(row->base);
    entry.copy = RowCopy{.base = {base, base + bases.length()}};
    bases.give_back(row->base);
  }
  row->stage = Stage::kProtocol;
  if (RowUse* const use = rows(id.table).use(id.key)) use->is_watched = 0;
  if (row->users == 0) wanted_.table(id.table).erase(*row);
}

// The row as it came, with what this node has added to its copy meanwhile. If nobody has written
// it, what is here is all there is.
Result<> SharedRows::merge_into(RowId id, const RowEntry& entry, std::span<const float> floats,
                                OwnedRow& row) {
  const bool has_sharers =
      std::any_of(row.sharers.begin(), row.sharers.end(),
                  [](const Sharer& sharer) { return sharer.wants || sharer.has_copy; });
  std::span<const float> sent;  // that is not in the row
  if (entry.sent && entry.sent->sequence > row.of(self_).seen) {
    row.of(self_).seen = entry.sent->sequence;
    sent = entry.sent->delta;
  }
  if (floats.empty() && !has_sharers && sent.empty()) return {};
  GODWIT_TRY_ASSIGN(HeldRow held, rows(id.table).hold(id.key));
  const auto here = held.floats();
  for (std::size_t i = 0; i < floats.size(); ++i) {
    // What this node has added to its copy and not sent stays.
    here[i] = floats[i] + (entry.copy ? here[i] - entry.copy->base[i] : 0.0F);
  }
  add_to(here, sent);
  share_if_wanted(id, row, held);
  return {};
}

Result<> SharedRows::take_over(NodeId from, RowId id, const TransferRecord& record,
                               std::span<const SharerRecord> sharers,
                               std::span<const float> floats) {
  if (owns(id)) return corruption("row {} came to its owner", id.key);
  RowEntry& entry = entries_.of(id);
  OwnedRow row{.version = record.version + 1, .moves = record.moves};
  for (const SharerRecord& sharer : sharers) {
    if (sharer.node >= map_.nodes()) return corruption("a sharer is node {}", sharer.node);
    const bool is_self = NodeId{sharer.node} == self_;
    has_given_copies_ = has_given_copies_ || sharer.has_copy != 0;
    row.sharers.push_back({.node = NodeId{sharer.node},
                           .wants = sharer.wants != 0 && !is_self,
                           .has_copy = sharer.has_copy != 0 && !is_self,
                           .is_dirty = sharer.has_copy != 0 && !is_self,
                           .seen = sharer.seen});
  }
  end_visit(id, entry);
  GODWIT_TRY(merge_into(id, entry, floats, row));
  entry.copy.reset();
  if (entry.sent) items_.end(entry.sent->sequence);
  entry.sent.reset();
  entry.forward.reset();
  entry.told = entry.wants = false;
  entry.owned = std::move(row);
  ++counts_.moved_in;
  dirty_.push_back(id);
  if (home(id) == self_) {
    set_directory(id, entry, {self_, record.moves});
    outbound_.say(from, id.table, PlaceNews::kHomeAck,
                  PlaceRecord{.key = id.key,
                              .owner = static_cast<std::uint32_t>(self_.value()),
                              .moves = record.moves});
  }
  std::move(entry.parked.begin(), entry.parked.end(), std::back_inserter(released_));
  entry.parked.clear();
  if (!is_used_here(id)) after_off(id);
  return {};
}

}  // namespace godwit
