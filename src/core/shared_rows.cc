// core/shared_rows.cc: where rows are, who wants them, and rounds.
#include "core/shared_rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/peers.h"

namespace godwit {

SharedRows::SharedRows(NodeId self, const PartitionMap& map, Tables& tables, WantedRows& wanted,
                       const TickBuffers& buffers, Links& links)
    : self_(self),
      map_(map),
      tables_(tables),
      wanted_(wanted),
      buffers_(buffers),
      outbound_(map.nodes(), links) {}

const RowEntry* SharedRows::find(RowId id) const {
  return entries_.find(id);
}

RowEntry* SharedRows::find_entry(RowId id) {
  return const_cast<RowEntry*>(std::as_const(*this).find(id));
}

bool SharedRows::is_used_here(RowId id) const {
  const RowUse* const use = rows(id.table).use(id.key);
  if (use != nullptr && wanted_.window().is_in_use(*use)) return true;
  const WantedRow* const row = std::as_const(wanted_).find(id);
  return row != nullptr && row->users > 0;
}

TableRows& SharedRows::rows(TableId table) const {
  TableRows* const found = tables_.find(table);
  GODWIT_CHECK(found != nullptr);
  return *found;
}

bool SharedRows::owns(RowId id) const {
  const RowEntry* const entry = find(id);
  if (entry != nullptr && entry->owned) return true;
  return home(id) == self_ && (entry == nullptr || !entry->directory);
}

bool SharedRows::is_here(RowId id) const {
  const RowEntry* const entry = find(id);
  return (entry != nullptr && entry->copy.has_value()) || owns(id);
}

bool SharedRows::must_wait(RowId id) const {
  const RowEntry* const entry = find(id);
  return entry != nullptr && entry->sent.has_value() && !entry->copy;
}

OwnedRow& SharedRows::owned(RowId id) {
  RowEntry& entry = entries_.of(id);
  if (!entry.owned) entry.owned.emplace();  // by its home, from the start
  return *entry.owned;
}

void SharedRows::tidy(RowId id) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr) return;
  if (entry->owned && entry->owned->moves == 0 && entry->owned->sharers.empty() &&
      !entry->directory) {
    entry->owned.reset();
  }
  if (entry->is_idle()) entries_.erase(id);
}

void SharedRows::set_directory(RowId id, RowEntry& entry, const Location& place) {
  entry.directory = place;
  moves_.add(id, place);
}

void SharedRows::make_due(RowId id, RowEntry& entry) {
  if (std::exchange(entry.is_due, true)) return;
  due_.push_back(id);
}

// Only a shared row's changes are noted, so it must be one while there are copies; and who no
// longer wants it must look who else does.
void SharedRows::share_if_wanted(RowId id, const OwnedRow& row, HeldRow& held) {
  const bool is_wanted =
      std::any_of(row.sharers.begin(), row.sharers.end(),
                  [](const Sharer& sharer) { return sharer.wants || sharer.has_copy; });
  rows(id.table).set_shared(held, is_wanted);
}

SharedRows::Hop SharedRows::next_hop(RowId id, bool via_home, std::uint32_t claim) const {
  using Kind = Hop::Kind;
  const RowEntry* const entry = find(id);
  const bool is_home = home(id) == self_;
  if (entry != nullptr ? entry->owned || (is_home && !entry->directory) : is_home) {
    return {.kind = Kind::kHere};
  }
  if (is_home) {
    const Location& known = *entry->directory;
    return {.kind = Kind::kNode, .node = known.owner, .via_home = true, .claim = known.moves};
  }
  if (entry != nullptr && entry->forward && !(via_home && claim > entry->forward->moves)) {
    return {.kind = Kind::kNode, .node = entry->forward->owner};
  }
  // Only the home knows for sure that a row comes here.
  if (via_home) return {.kind = Kind::kPark};
  return {.kind = Kind::kNode, .node = home(id)};
}

void SharedRows::park(RowId id, std::shared_ptr<Frame> request) {
  entries_.of(id).parked.push_back(std::move(request));
}

std::vector<std::shared_ptr<Frame>> SharedRows::take_released() {
  return std::exchange(released_, {});
}

void SharedRows::want(RowId id, bool on) {
  if (!on && (find(id) == nullptr || spec(id.table).placement == Placement::kReplicateAll)) return;
  if (!owns(id)) {
    RowEntry& entry = entries_.of(id);
    entry.wants = on;
    if (entry.wants != entry.told) news_.push_back(id);
    return;
  }
  if (!on) after_off(id);
}

SharedRows::Tie SharedRows::tie(RowId id) const {
  const RowEntry* const entry = find(id);
  if (entry == nullptr) return home(id) == self_ ? Tie::kOwner : Tie::kNone;
  if (entry->owned || (home(id) == self_ && !entry->directory)) return Tie::kOwner;
  const bool is_engaged = entry->copy || entry->told || entry->sent || entry->wants;
  return is_engaged ? Tie::kEngaged : Tie::kNone;
}

void SharedRows::on_written(RowId id) {
  RowEntry* const entry = find_entry(id);
  if (entry == nullptr) return;
  if (entry->owned) {
    mark_dirty(id, *entry->owned, self_);
  } else if (entry->copy) {
    make_due(id, *entry);
  }
}

void SharedRows::tell_wants() {
  for (const RowId id : std::exchange(news_, {})) make_item(id);
  flush();
}

Result<> SharedRows::on_places(NodeId peer, const RowPlaces& places) {
  for (const PlaceRecord& place : places.records) {
    const RowId id{places.table, place.key};
    if (place.owner >= map_.nodes()) {
      return corruption("row {} is said to be at node {}", place.key, place.owner);
    }
    if (places.news == PlaceNews::kHomeAck) {
      RowEntry* const entry = find_entry(id);
      if (entry == nullptr || !entry->forward || entry->forward->moves > place.moves) continue;
      entry->forward.reset();
      tidy(id);
      continue;
    }
    if (places.news != PlaceNews::kHome || home(id) != self_) {
      return corruption("row {} has another home", place.key);
    }
    RowEntry& entry = entries_.of(id);
    if (!entry.directory || entry.directory->moves < place.moves) {
      set_directory(id, entry, {NodeId{place.owner}, place.moves});
    }
    outbound_.say(peer, places.table, PlaceNews::kHomeAck, place);
  }
  return {};
}

void SharedRows::round(bool is_flush) {
  is_flush_ = is_flush;
  if (is_flush) {
    // What codecs have lost is in copies that are not due otherwise.
    std::vector<RowId> lossy;
    entries_.for_each([&](RowId id, const RowEntry& entry) {
      if (entry.copy && spec(id.table).codec != Codec::kFp32) lossy.push_back(id);
    });
    for (const RowId id : lossy) make_due(id, entries_.of(id));
  }
  std::vector<RowId> touched;
  tables_.for_each([&](TableId table, TableRows& rows) {
    for (const Key key : rows.take_touched()) touched.push_back({table, key});
  });
  for (const RowId id : touched) on_written(id);
  for (const RowId id : std::exchange(due_, {})) make_item(id);
  for (const RowId id : std::exchange(dirty_, {})) {
    RowEntry* const entry = find_entry(id);
    if (entry == nullptr || !entry->owned) continue;
    for (Sharer& sharer : entry->owned->sharers) {
      if (sharer.has_copy && sharer.is_dirty) refresh(id, *entry->owned, sharer);
    }
  }
  is_flush_ = false;
  flush();
}

std::uint64_t SharedRows::copies() const {
  std::uint64_t copies = 0;
  entries_.for_each([&](RowId, const RowEntry& entry) { copies += entry.copy ? 1 : 0; });
  return copies;
}

bool SharedRows::is_quiet() const {
  bool is_any_on_its_way = false;
  entries_.for_each([&](RowId, const RowEntry& entry) {
    if (entry.sent || entry.forward || !entry.parked.empty()) is_any_on_its_way = true;
  });
  return news_.empty() && refused_.empty() && due_.empty() && dirty_.empty() && released_.empty() &&
         !is_any_on_its_way;
}

}  // namespace godwit
