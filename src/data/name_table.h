// data/name_table.h: numbers for names, in the order they first appear. Owned by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

class NameTable {
 public:
  NameTable();

  // The name's number; a new one, size() before, if it was not seen yet.
  std::uint32_t number(std::string_view name);
  std::optional<std::uint32_t> find(std::string_view name) const;

  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size() - 1); }
  // REQUIRES: number < size(). Valid until the next new name.
  std::string_view name(std::uint32_t number) const {
    return std::string_view(letters_).substr(ends_[number], ends_[number + 1] - ends_[number]);
  }
  std::vector<std::string> names() const;

 private:
  struct Slot {
    std::uint64_t head = 0;  // the first 8 letters
    std::uint32_t size = 0;
    std::uint32_t number = 0;  // + 1; 0: free
  };

  // Where the name is, or the free slot where it would be.
  std::size_t slot_of(std::string_view name) const;
  void grow();

  std::vector<Slot> slots_;          // a power of two, at most half of them taken
  std::string letters_;              // of all names, one after another
  std::vector<std::uint64_t> ends_;  // name i is letters [ends_[i], ends_[i + 1])
};

}  // namespace godwit
