// data/name_table.cc: open addressing; the letters of all names lie in one string.
#include "data/name_table.h"

#include <cstring>

#include "base/check.h"

namespace godwit {

namespace {

constexpr std::size_t kSlotsAtStart = 1024;

// Eight letters a round; not for hostile input, which costs time only.
std::uint32_t hash_of(std::string_view name) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = name.size() * kOdd;
  const char* at = name.data();
  std::size_t left = name.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29;
  }
  std::uint64_t word = 0;
  if (left > 0) std::memcpy(&word, at, left);
  hash = (hash ^ word) * kOdd;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93U;
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace

NameTable::NameTable() : slots_(kSlotsAtStart), ends_{0} {}

std::size_t NameTable::slot_of(std::string_view wanted, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].number != 0) {
    if (slots_[slot].hash == hash && name(slots_[slot].number - 1) == wanted) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t NameTable::number(std::string_view wanted) {
  const std::uint32_t hash = hash_of(wanted);
  std::size_t slot = slot_of(wanted, hash);
  if (slots_[slot].number != 0) return slots_[slot].number - 1;
  GODWIT_CHECK_LT(std::uint64_t{size()}, std::uint64_t{UINT32_MAX} - 1);
  if ((std::size_t{size()} + 1) * 2 > slots_.size()) {
    grow();
    slot = slot_of(wanted, hash);
  }
  letters_ += wanted;
  ends_.push_back(letters_.size());
  slots_[slot] = {.hash = hash, .number = size()};
  return size() - 1;
}

std::optional<std::uint32_t> NameTable::find(std::string_view wanted) const {
  const Slot& slot = slots_[slot_of(wanted, hash_of(wanted))];
  if (slot.number == 0) return std::nullopt;
  return slot.number - 1;
}

std::vector<std::string> NameTable::names() const {
  std::vector<std::string> all(size());
  for (std::uint32_t i = 0; i < size(); ++i) all[i] = name(i);
  return all;
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.number == 0) continue;
    std::size_t slot = entry.hash & mask;
    while (slots_[slot].number != 0) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

}  // namespace godwit
