// core/key_table.h: records by key, for rows of one table. Linear probing in a power of two of
// places, at most half of them taken: a lookup is one cache line, which can be asked for ahead.
// Owned by the node's state machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"

namespace godwit {

// A Record has a `key` and says whether its place is_free(), as it is when made by default.
template <class Record>
class KeyTable {
 public:
  void prefetch(Key key) const {
    if (!places_.empty()) __builtin_prefetch(&places_[home(key)], 1);
  }
  // The record of a key, made if there is none; then it must cease to be free at once. Valid until
  // the next of() or erase().
  Record& of(Key key) {
    if (2 * (size_ + 1) > places_.size()) grow();
    Record& record = places_[locate(key)];
    if (record.is_free()) {
      record.key = key;
      ++size_;
    }
    return record;
  }
  // Null if there is none.
  Record* find(Key key) {
    if (places_.empty()) return nullptr;
    Record& record = places_[locate(key)];
    return record.is_free() ? nullptr : &record;
  }
  const Record* find(Key key) const { return const_cast<KeyTable*>(this)->find(key); }
  // REQUIRES: `record` is of this. It may have become free already.
  void erase(Record& record) {
    auto hole = static_cast<std::size_t>(&record - places_.data());
    const std::size_t mask = places_.size() - 1;
    places_[hole] = {};
    --size_;
    // Those behind it move up, so that no lookup passes a free place.
    for (std::size_t i = (hole + 1) & mask; !places_[i].is_free(); i = (i + 1) & mask) {
      // It may move to the hole unless its home lies behind the hole.
      const std::size_t from_home = (i - home(places_[i].key)) & mask;
      if (from_home < ((i - hole) & mask)) continue;
      places_[hole] = std::exchange(places_[i], {});
      hole = i;
    }
  }

  void clear() {
    if (size_ != 0) std::fill(places_.begin(), places_.end(), Record{});
    size_ = 0;
  }

  std::size_t size() const { return size_; }
  // fn(record) must neither add nor erase.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (Record& record : places_) {
      if (!record.is_free()) fn(record);
    }
  }
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (const Record& record : places_) {
      if (!record.is_free()) fn(record);
    }
  }

 private:
  static constexpr std::size_t kPlacesMin = 64;

  std::size_t home(Key key) const { return splitmix64(key) & (places_.size() - 1); }
  std::size_t locate(Key key) const {
    std::size_t i = home(key);
    while (places_[i].key != key && !places_[i].is_free()) i = (i + 1) & (places_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Record> old = std::exchange(
        places_, std::vector<Record>(std::max<std::size_t>(kPlacesMin, 2 * places_.size())));
    for (Record& record : old) {
      if (!record.is_free()) places_[locate(record.key)] = std::move(record);
    }
  }

  std::vector<Record> places_;
  std::size_t size_ = 0;
};

}  // namespace godwit
