// store/hash_index.h: finds rows of a table with arbitrary 64-bit keys: extendible hashing with
// cache-line buckets. find() is thread-safe; insert() and erase() want outside locking against
// each other, not against find().
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "store/memory_budget.h"
#include "store/row_ref.h"
#include "store/slabs.h"

namespace godwit {

// A full segment is split in place into itself and one new segment, so growing neither stops the
// readers of other segments nor leaves retired memory behind. Readers of the segment being split
// notice by its version and look again. An anchor's tag is the generation of its slot: a slot that
// was freed and given to another key no longer matches.
class HashIndex {
 public:
  // Memory is taken from `budget`. REQUIRES: it outlives this.
  explicit HashIndex(MemoryBudget* budget);
  HashIndex(const HashIndex&) = delete;
  HashIndex& operator=(const HashIndex&) = delete;
  ~HashIndex();

  void prefetch(Key key) const {
    const std::uint64_t hash = splitmix64(key);
    __builtin_prefetch(&segment_of(hash).buckets[bucket_of(hash)]);
  }

  void prefetch_anchor(Key key, const Slabs& slabs) const {
    if (const auto slot = find_slot(key)) __builtin_prefetch(&slabs.anchor(*slot), 1);
  }

  // The calls below mean what they mean in BoundedIndex.
  RowRef find(Key key, const Slabs& slabs) const;
  // Splits the key's segment if it is full; kOutOfMemory if the budget does not allow that.
  Result<> make_room(Key key);
  void insert(Key key, Slot slot, const Slabs& slabs, Anchor::Word lock);
  Slot erase(Key key, const RowRef& ref);
  // fn(key) for each key that has a row, in no order. Wants the locking of insert().
  template <class Fn>
  void for_each_key(Fn&& fn) const {
    for (const auto& segment : segments_) {
      for (const Bucket& bucket : segment->buckets) {
        for (std::size_t i = 0; i < kBucketEntries; ++i) {
          if (bucket.slots[i].load(std::memory_order_relaxed) == 0) continue;
          fn(bucket.keys[i].load(std::memory_order_relaxed));
        }
      }
    }
  }

  std::uint64_t bytes() const;

 private:
  static constexpr std::size_t kBucketEntries = 5;
  static constexpr std::size_t kBuckets = 1024;
  static constexpr std::size_t kSegmentFull = kBuckets * kBucketEntries * 4 / 5;

  struct alignas(kCacheLineSize) Bucket {
    std::array<std::atomic<Key>, kBucketEntries> keys;
    std::array<std::atomic<std::uint32_t>, kBucketEntries> slots;  // slot + 1; 0 = empty entry
    std::atomic<std::uint32_t> overflowed;  // a key of this bucket may be in a later one
  };
  static_assert(sizeof(Bucket) == kCacheLineSize);

  struct Segment {
    alignas(kCacheLineSize) std::atomic<std::uint64_t> version;  // odd while it is being split
    int depth = 0;  // leading hash bits all its keys share
    std::size_t count = 0;
    std::array<Bucket, kBuckets> buckets;
  };
  struct Directory {
    int depth = 0;
    std::vector<std::atomic<Segment*>> segments;  // by the leading `depth` bits of the hash
  };

  static std::size_t bucket_of(std::uint64_t hash) { return hash % kBuckets; }
  static std::size_t leading_bits(std::uint64_t hash, int depth) {
    return depth == 0 ? 0 : hash >> (64 - depth);
  }
  Segment& segment_of(std::uint64_t hash) const {
    const Directory& directory = *directory_.load(std::memory_order_acquire);
    return *directory.segments[leading_bits(hash, directory.depth)].load(std::memory_order_acquire);
  }

  std::optional<Slot> find_slot(Key key) const;
  static std::optional<Slot> probe(const Segment& segment, Key key, std::uint64_t hash);
  static void place(Segment& segment, Key key, std::uint64_t hash, std::uint32_t slot_word);
  void split(std::uint64_t hash);
  void double_directory();

  MemoryBudget* const budget_;
  std::atomic<const Directory*> directory_;
  std::vector<std::unique_ptr<Directory>> directories_;  // old ones stay: a reader may be in one
  std::vector<std::unique_ptr<Segment>> segments_;
};

}  // namespace godwit
