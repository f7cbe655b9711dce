// placement/return_estimate.h: whether a row that is fetched was here a short time ago: then it
// will be wanted again soon, and should stay for a while. Pure.
//
// Four bytes for each of many rows; rows that meet in a place forget each other, which costs a
// fetch.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/time_source.h"
#include "placement/row_id.h"

namespace godwit {

class ReturnEstimate {
 public:
  // A row leaves.
  void note_gone(RowId id, Time now) {
    if (places_.empty()) places_.resize(kPlaces);
    const std::uint64_t hash = RowId::Hash{}(id);
    places_[hash % kPlaces] = {.tag = tag_of(hash), .gone_ms = milliseconds(now)};
  }
  // A row is fetched: whether it left at most kSoon ago. (Or about 65 s earlier than that, or
  // twice as much: the clock goes round.)
  bool is_back_soon(RowId id, Time now) const {
    if (places_.empty()) return false;
    const std::uint64_t hash = RowId::Hash{}(id);
    const Place& place = places_[hash % kPlaces];
    const auto passed = static_cast<std::uint16_t>(milliseconds(now) - place.gone_ms);
    return place.tag == tag_of(hash) && std::chrono::milliseconds(passed) <= kSoon;
  }
  void prefetch(RowId id) const {
    if (!places_.empty()) __builtin_prefetch(&places_[RowId::Hash{}(id) % kPlaces], 1);
  }

  static constexpr Duration kSoon = std::chrono::milliseconds(1000);

 private:
  struct Place {
    std::uint16_t tag = 0;
    std::uint16_t gone_ms = 0;
  };
  static constexpr std::size_t kPlaces = std::size_t{1} << 17;

  // 0 is the tag of a place that was never used.
  static std::uint16_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint16_t>((hash >> 48) | 1U);
  }
  static std::uint16_t milliseconds(Time now) {
    return static_cast<std::uint16_t>(
        std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch()).count());
  }

  std::vector<Place> places_;  // none until the first note
};

}  // namespace godwit
