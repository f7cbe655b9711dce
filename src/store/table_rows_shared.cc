// store/table_rows_shared.cc: rows that are held, adopted, given away and noted when they change.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/prng.h"
#include "base/try.h"
#include "store/table_rows.h"

namespace godwit {

Result<> TableRows::adopt(std::span<const Key> keys, std::span<const float> floats) {
  GODWIT_CHECK_EQ(floats.size(), keys.size() * layout_.row_floats());
  const MutexLock lock(structure_);
  const float* from = floats.data();
  for (const Key key : keys) {
    GODWIT_TRY(with_index([&](auto& index) { return index.make_room(key); }));
    GODWIT_TRY_ASSIGN(const Slot slot, slabs_.allocate());
    std::copy_n(from, layout_.row_floats(), slabs_.row(slot));
    with_index([&](auto& index) { index.insert(key, slot, slabs_, 0); });
    from += layout_.row_floats();
  }
  return {};
}

std::vector<Key> TableRows::keys() const {
  const MutexLock lock(structure_);
  std::vector<Key> keys;
  keys.reserve(slabs_.slots_used());
  const auto note = [&](Key key) { keys.push_back(key); };
  if (bounded_) {
    bounded_->for_each_key(spec_.rows, note);
  } else {
    hashed_->for_each_key(note);
    std::sort(keys.begin(), keys.end());
  }
  return keys;
}

Result<HeldRow> TableRows::hold(Key key) {
  for (;;) {
    if (auto held = hold_if_there(key)) return *std::move(held);
    GODWIT_TRY_ASSIGN(const auto made, make_row(key, Anchor::kLocked));
    if (made) return HeldRow(*made, layout_.row_floats());
  }
}

std::optional<HeldRow> TableRows::hold_if_there(Key key) {
  for (;;) {
    const RowRef row = find(key);
    if (row.row == nullptr) return std::nullopt;
    if (row.anchor->lock(row.word)) return HeldRow(row, layout_.row_floats());
  }
}

void TableRows::erase(Key key, HeldRow row) {
  if (row.is_shared()) set_shared(row, false);
  const RowRef ref = std::exchange(row.ref_, {});
  const MutexLock lock(structure_);
  const Slot slot = with_index([&](auto& index) { return index.erase(key, ref); });
  slabs_.free(slot);
}

RowRef TableRows::lock_row(Key key, RowRef found) const {
  while (!found.anchor->lock(found.word)) {
    found = find(key);
    GODWIT_CHECK(found.row != nullptr);
  }
  return found;
}

void TableRows::erase_locked(std::span<const Key> keys, std::span<const RowRef> rows) {
  const MutexLock lock(structure_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if ((rows[i].word & Anchor::kShared) != 0) {
      shared_rows_.fetch_sub(1, std::memory_order_relaxed);
    }
    slabs_.free(with_index([&](auto& index) { return index.erase(keys[i], rows[i]); }));
  }
}

void TableRows::set_shared(HeldRow& row, bool is_shared) {
  if (row.is_shared() == is_shared) return;
  row.ref_.word ^= Anchor::kShared;
  shared_rows_.fetch_add(is_shared ? 1 : ~std::uint64_t{0}, std::memory_order_relaxed);
}

void TableRows::note_touched(std::span<const Key> keys, std::span<const RowRef> rows) {
  const auto is_shared = [](const RowRef& row) { return (row.word & Anchor::kShared) != 0; };
  auto next = std::find_if(rows.begin(), rows.end(), is_shared);
  if (next == rows.end()) return;
  const MutexLock lock(touching_);
  for (; next != rows.end(); next = std::find_if(next + 1, rows.end(), is_shared)) {
    const Key key = keys[static_cast<std::size_t>(next - rows.begin())];
    Key& recent = recently_touched_[splitmix64(key) % recently_touched_.size()];
    if (std::exchange(recent, key) == key && key != kNoKey) continue;
    touched_.push_back(key);
    has_touched_.store(true, std::memory_order_relaxed);
  }
}

std::vector<Key> TableRows::take_touched() {
  const MutexLock lock(touching_);
  recently_touched_.fill(kNoKey);
  return std::exchange(touched_, {});
}

}  // namespace godwit
