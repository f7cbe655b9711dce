// data/name_table.cc: open addressing; a slot holds the first letters, so that short names need no
// second look; the letters of all names lie in one string.
#include "data/name_table.h"

#include <cstring>

#include "base/check.h"

namespace godwit {

namespace {

constexpr std::size_t kSlotsAtStart = 1024;

template <class Word>
std::uint64_t load(const char* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The first 8 letters, zeros after the end. Reads that overlap instead of a copy of unknown size.
std::uint64_t head_of(std::string_view name) {
  const char* at = name.data();
  const std::size_t size = name.size();
  if (size >= 8) return load<std::uint64_t>(at);
  if (size >= 4) {
    return load<std::uint32_t>(at) | load<std::uint32_t>(at + size - 4) << (8 * (size - 4));
  }
  if (size == 0) return 0;
  return load<std::uint8_t>(at) | load<std::uint8_t>(at + size / 2) << (8 * (size / 2)) |
         load<std::uint8_t>(at + size - 1) << (8 * (size - 1));
}

// Not for hostile input, which costs time only.
std::uint64_t hash_of(std::string_view name, std::uint64_t head) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;
  std::uint64_t hash = (head ^ name.size() * kOdd) * kOdd;
  for (std::size_t at = 8; at < name.size(); at += 8) {
    const std::size_t from = at + 8 <= name.size() ? at : name.size() - 8;
    hash ^= hash >> 29;
    hash = (hash ^ load<std::uint64_t>(name.data() + from)) * kOdd;
  }
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93U;
  return hash ^ (hash >> 32);
}

}  // namespace

NameTable::NameTable() : slots_(kSlotsAtStart), ends_{0} {}

std::size_t NameTable::slot_of(std::string_view wanted) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t head = head_of(wanted);
  std::size_t slot = hash_of(wanted, head) & mask;
  for (; slots_[slot].number != 0; slot = (slot + 1) & mask) {
    const Slot& entry = slots_[slot];
    if (entry.head != head || entry.size != static_cast<std::uint32_t>(wanted.size())) continue;
    if (wanted.size() <= 8 || name(entry.number - 1) == wanted) break;
  }
  return slot;
}

std::uint32_t NameTable::number(std::string_view wanted) {
  std::size_t slot = slot_of(wanted);
  if (slots_[slot].number != 0) return slots_[slot].number - 1;
  GODWIT_CHECK_LT(std::uint64_t{size()}, std::uint64_t{UINT32_MAX} - 1);
  if ((std::size_t{size()} + 1) * 2 > slots_.size()) {
    grow();
    slot = slot_of(wanted);
  }
  letters_ += wanted;
  ends_.push_back(letters_.size());
  slots_[slot] = {
      .head = head_of(wanted), .size = static_cast<std::uint32_t>(wanted.size()), .number = size()};
  return size() - 1;
}

std::optional<std::uint32_t> NameTable::find(std::string_view wanted) const {
  const Slot& slot = slots_[slot_of(wanted)];
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
    std::size_t slot = hash_of(name(entry.number - 1), entry.head) & mask;
    while (slots_[slot].number != 0) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

}  // namespace godwit
