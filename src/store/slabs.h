// store/slabs.h: memory of rows, in slabs of a power of two of slots; a slot is a row's place.
// row() and anchor() are thread-safe for slots in use; allocate() and free() want outside locking.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "godwit/result.h"
#include "store/anchor.h"
#include "store/memory_budget.h"
#include "store/memory_map.h"
#include "store/row_layout.h"
#include "store/row_use.h"

namespace godwit {

using Slot = std::uint32_t;

class Slabs {
 public:
  enum class Anchors : std::uint8_t { kNone, kPerSlot };

  // Room for up to `slots_max` rows; memory is taken from `budget` slab by slab, unless the owner
  // has counted it already and passes null. REQUIRES: budget outlives this.
  Slabs(const RowLayout& layout, std::uint64_t slots_max, Anchors anchors, MemoryBudget* budget);
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;
  ~Slabs();

  // A slot nobody uses, the most recently freed first. Its floats hold whatever was there.
  // kOutOfMemory if the budget, the system or the slots are used up.
  Result<Slot> allocate();
  // REQUIRES: allocated and not freed since; no lease uses it.
  void free(Slot slot);

  float* row(Slot slot) const {
    return slab_of(slot) + std::size_t{slot & slot_mask_} * layout_.stride;
  }
  // REQUIRES: made with Anchors::kPerSlot.
  Anchor& anchor(Slot slot) const {
    auto* anchors = reinterpret_cast<Anchor*>(slab_of(slot) + anchors_offset_);
    return anchors[slot & slot_mask_];
  }

  // Of a row of which this is never asked, nothing is kept; of a freed one, nothing either. Guarded
  // by who asks.
  RowUse& use(Slot slot) {
    while (slot >> slot_bits_ >= uses_.size()) [[unlikely]] {
        uses_.push_back(std::make_unique<RowUse[]>(std::size_t{1} << slot_bits_));
      }
    return uses_[slot >> slot_bits_][slot & slot_mask_];
  }

  std::uint64_t slots_used() const { return slots_begun_ - free_.size(); }
  std::uint64_t bytes() const;

  // Bytes that `slots` slots take at most: what a bounded table counts before it is made.
  static std::uint64_t bytes_for(const RowLayout& layout, std::uint64_t slots);

 private:
  float* slab_of(Slot slot) const {
    return slabs_[slot >> slot_bits_].load(std::memory_order_acquire);
  }
  std::size_t slab_bytes() const;
  Result<> add_slab();

  const RowLayout layout_;
  const std::uint64_t slots_max_;
  const Anchors anchors_kind_;
  MemoryBudget* const budget_;
  const int slot_bits_;
  const Slot slot_mask_;
  const std::size_t anchors_offset_;  // floats from a slab's begin to its anchors

  std::vector<std::atomic<float*>> slabs_;       // sized once for slots_max
  std::vector<std::unique_ptr<RowUse[]>> uses_;  // of each slab, as far as they were asked for
  std::vector<MemoryMap> maps_;
  std::vector<Slot> free_;
  std::uint64_t slots_begun_ = 0;
};

}  // namespace godwit
