// store/slabs.cc: takes memory a slab at a time and hands out slots.
#include "store/slabs.h"

#include <algorithm>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

// One huge page: large enough that the kernel can back it with one, small enough that a table
// wastes little in its last slab.
constexpr std::size_t kSlabBytes = std::size_t{2} << 20;

int slot_bits_for(const RowLayout& layout, std::uint64_t slots_max) {
  const std::size_t fit = std::max<std::size_t>(1, kSlabBytes / layout.stride_bytes());
  const std::uint64_t slots =
      std::min<std::uint64_t>(std::bit_floor(fit), std::bit_ceil(slots_max));
  return std::countr_zero(slots);
}

}  // namespace

Slabs::Slabs(const RowLayout& layout, std::uint64_t slots_max, Anchors anchors,
             MemoryBudget* budget)
    : layout_(layout),
      slots_max_(slots_max),
      anchors_kind_(anchors),
      budget_(budget),
      slot_bits_(slot_bits_for(layout, slots_max)),
      slot_mask_((Slot{1} << slot_bits_) - 1),
      anchors_offset_((std::size_t{1} << slot_bits_) * layout.stride),
      slabs_((slots_max + slot_mask_) >> slot_bits_) {
  GODWIT_CHECK_GE(slots_max, 1u);
  GODWIT_CHECK_LE(slots_max, std::uint64_t{Anchor::kTagMask});
}

Slabs::~Slabs() {
  if (budget_ != nullptr) budget_->give_back(maps_.size() * slab_bytes());
}

Result<Slot> Slabs::allocate() {
  if (!free_.empty()) {
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
  }
  if (slots_begun_ == slots_max_) {
    return out_of_memory("all {} rows this node can hold of the table are in use", slots_max_);
  }
  if (slots_begun_ >> slot_bits_ == maps_.size()) GODWIT_TRY(add_slab());
  return static_cast<Slot>(slots_begun_++);
}

void Slabs::free(Slot slot) {
  GODWIT_CHECK_LT(slot, slots_begun_);
  if (slot >> slot_bits_ < uses_.size()) {
    GODWIT_CHECK_EQ(use(slot).leases, 0U);
    use(slot) = {};
  }
  free_.push_back(slot);
}

std::size_t Slabs::slab_bytes() const {
  const std::size_t slots = std::size_t{1} << slot_bits_;
  const std::size_t anchors = anchors_kind_ == Anchors::kPerSlot ? slots * sizeof(Anchor) : 0;
  return slots * layout_.stride_bytes() + anchors;
}

Result<> Slabs::add_slab() {
  if (budget_ != nullptr) GODWIT_TRY(budget_->take(slab_bytes(), "another slab of rows"));
  auto map = MemoryMap::make(slab_bytes());
  if (!map.ok()) {
    if (budget_ != nullptr) budget_->give_back(slab_bytes());
    return std::move(map).error();
  }
  // The vector is sized for slots_max, so concurrent readers of other slabs are not disturbed.
  slabs_[maps_.size()].store(reinterpret_cast<float*>(map->begin()), std::memory_order_release);
  maps_.push_back(std::move(map).value());
  return {};
}

std::uint64_t Slabs::bytes() const {
  std::uint64_t bytes = slabs_.size() * sizeof(slabs_[0]) + free_.capacity() * sizeof(Slot);
  for (const MemoryMap& map : maps_) bytes += map.bytes();
  return bytes;
}

std::uint64_t Slabs::bytes_for(const RowLayout& layout, std::uint64_t slots) {
  const std::uint64_t per_slab = std::uint64_t{1} << slot_bits_for(layout, slots);
  const std::uint64_t slabs = (slots + per_slab - 1) / per_slab;
  return slabs * (per_slab * layout.stride_bytes() + sizeof(float*));
}

}  // namespace godwit
