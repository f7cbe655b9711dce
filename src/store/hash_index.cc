// store/hash_index.cc: probing, inserting, splitting. Every shared word is read with acquire and
// written with release: a reader that saw any store of a split also sees the odd version before it.
#include "store/hash_index.h"

#include <algorithm>
#include <thread>

#include "base/check.h"
#include "base/try.h"

namespace godwit {

HashIndex::HashIndex(MemoryBudget* budget) : budget_(budget) {
  segments_.push_back(std::make_unique<Segment>());
  auto directory = std::make_unique<Directory>();
  directory->segments = std::vector<std::atomic<Segment*>>(1);
  directory->segments[0].store(segments_[0].get());
  directory_.store(directory.get());
  directories_.push_back(std::move(directory));
}

HashIndex::~HashIndex() {
  // The first segment, a part of every table, was never counted.
  budget_->give_back((segments_.size() - 1) * sizeof(Segment));
}

std::optional<Slot> HashIndex::probe(const Segment& segment, Key key, std::uint64_t hash) {
  for (std::size_t step = 0; step < kBuckets; ++step) {
    const Bucket& bucket = segment.buckets[(bucket_of(hash) + step) % kBuckets];
    for (std::size_t entry = 0; entry < kBucketEntries; ++entry) {
      const std::uint32_t slot = bucket.slots[entry].load(std::memory_order_acquire);
      if (slot == 0 || bucket.keys[entry].load(std::memory_order_acquire) != key) continue;
      // The entry may have been given to `key` between the two loads; then the slot was another's.
      if (bucket.slots[entry].load(std::memory_order_acquire) == slot) return slot - 1;
    }
    if (bucket.overflowed.load(std::memory_order_acquire) == 0) break;
  }
  return std::nullopt;
}

std::optional<Slot> HashIndex::find_slot(Key key) const {
  const std::uint64_t hash = splitmix64(key);
  while (true) {
    const Segment& segment = segment_of(hash);
    const std::uint64_t version = segment.version.load(std::memory_order_acquire);
    if (version % 2 == 0) {
      const std::optional<Slot> slot = probe(segment, key, hash);
      // A split that ended before `version` was read may have moved the key to a new segment.
      if (segment.version.load(std::memory_order_acquire) == version &&
          &segment_of(hash) == &segment) {
        return slot;
      }
    }
    std::this_thread::yield();
  }
}

RowRef HashIndex::find(Key key, const Slabs& slabs) const {
  while (true) {
    const std::optional<Slot> slot = find_slot(key);
    if (!slot) return {};
    Anchor& anchor = slabs.anchor(*slot);
    const Anchor::Word word = anchor.peek();
    // erase() removes the key before it changes the generation: if the key is still here, the
    // generation just read is that of its row.
    if (find_slot(key) == slot) return {slabs.row(*slot), &anchor, word, *slot};
  }
}

void HashIndex::place(Segment& segment, Key key, std::uint64_t hash, std::uint32_t slot_word) {
  for (std::size_t step = 0; step < kBuckets; ++step) {
    Bucket& bucket = segment.buckets[(bucket_of(hash) + step) % kBuckets];
    for (std::size_t entry = 0; entry < kBucketEntries; ++entry) {
      if (bucket.slots[entry].load(std::memory_order_relaxed) != 0) continue;
      bucket.keys[entry].store(key, std::memory_order_release);
      bucket.slots[entry].store(slot_word, std::memory_order_release);
      ++segment.count;
      return;
    }
    bucket.overflowed.store(1, std::memory_order_release);
  }
  GODWIT_CHECK(false && "a segment is split before it is full");
}

Result<> HashIndex::make_room(Key key) {
  const std::uint64_t hash = splitmix64(key);
  while (segment_of(hash).count >= kSegmentFull) {
    GODWIT_TRY(budget_->take(sizeof(Segment), "the index of an unbounded table"));
    split(hash);
  }
  return {};
}

void HashIndex::insert(Key key, Slot slot, const Slabs& slabs, Anchor::Word lock) {
  const std::uint64_t hash = splitmix64(key);
  Anchor& anchor = slabs.anchor(slot);
  // Fresh memory: the first generation.
  anchor.publish(std::max(anchor.peek(), Anchor::Word{1}) | lock);
  place(segment_of(hash), key, hash, slot + 1);
}

Slot HashIndex::erase(Key key, const RowRef& ref) {
  const std::uint64_t hash = splitmix64(key);
  Segment& segment = segment_of(hash);
  for (std::size_t step = 0; step < kBuckets; ++step) {
    Bucket& bucket = segment.buckets[(bucket_of(hash) + step) % kBuckets];
    for (std::size_t entry = 0; entry < kBucketEntries; ++entry) {
      const std::uint32_t slot = bucket.slots[entry].load(std::memory_order_relaxed);
      if (slot == 0 || bucket.keys[entry].load(std::memory_order_relaxed) != key) continue;
      bucket.slots[entry].store(0, std::memory_order_release);
      --segment.count;
      const Anchor::Word generation = (ref.word & Anchor::kTagMask) % (Anchor::kTagMask - 1) + 1;
      ref.anchor->unlock(generation);
      return slot - 1;
    }
  }
  GODWIT_CHECK(false && "erase of a key that has no row");
  return 0;
}

void HashIndex::split(std::uint64_t hash) {
  Segment& old = segment_of(hash);
  if (old.depth == directories_.back()->depth) double_directory();
  Directory& directory = *directories_.back();
  const int depth = old.depth + 1;
  segments_.push_back(std::make_unique<Segment>());
  Segment& upper = *segments_.back();
  upper.depth = depth;

  struct Entry {
    Key key;
    std::uint32_t slot;
  };
  std::vector<Entry> stay;
  for (const Bucket& bucket : old.buckets) {
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      const Entry entry{bucket.keys[i].load(std::memory_order_relaxed),
                        bucket.slots[i].load(std::memory_order_relaxed)};
      if (entry.slot == 0) continue;
      const std::uint64_t key_hash = splitmix64(entry.key);
      if (leading_bits(key_hash, depth) % 2 == 1) {
        place(upper, entry.key, key_hash, entry.slot);
      } else {
        stay.push_back(entry);
      }
    }
  }

  const std::uint64_t version = old.version.load(std::memory_order_relaxed);
  old.version.store(version + 1, std::memory_order_release);
  // All directory cells of the old segment's upper half now lead to the new one.
  const std::size_t cells = std::size_t{1} << (directory.depth - depth);
  const std::size_t first = (leading_bits(hash, old.depth) * 2 + 1) * cells;
  for (std::size_t cell = first; cell < first + cells; ++cell) {
    directory.segments[cell].store(&upper, std::memory_order_release);
  }
  for (Bucket& bucket : old.buckets) {
    for (auto& slot : bucket.slots) slot.store(0, std::memory_order_release);
    bucket.overflowed.store(0, std::memory_order_release);
  }
  old.depth = depth;
  old.count = 0;
  for (const Entry& entry : stay) place(old, entry.key, splitmix64(entry.key), entry.slot);
  old.version.store(version + 2, std::memory_order_release);
}

void HashIndex::double_directory() {
  const Directory& before = *directories_.back();
  auto after = std::make_unique<Directory>();
  after->depth = before.depth + 1;
  after->segments = std::vector<std::atomic<Segment*>>(before.segments.size() * 2);
  for (std::size_t i = 0; i < after->segments.size(); ++i) {
    after->segments[i].store(before.segments[i / 2].load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
  }
  directory_.store(after.get(), std::memory_order_release);
  directories_.push_back(std::move(after));
}

std::uint64_t HashIndex::bytes() const {
  std::uint64_t bytes = segments_.size() * sizeof(Segment);
  for (const auto& directory : directories_) {
    bytes += directory->segments.size() * sizeof(directory->segments[0]);
  }
  return bytes;
}

}  // namespace godwit
