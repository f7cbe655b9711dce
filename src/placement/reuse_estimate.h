// placement/reuse_estimate.h: whether it pays to ask for a row, so that it moves here or is copied,
// rather than to visit it: whether it is used again before it is gone. Pure.
//
// A row is asked for once it was visited twice. If it was gone again before it was used twice, it
// is visited twice as often before it is asked for the next time, and so on; if it was used, half
// as often. Four bytes for each of many rows; rows that meet in a place forget each other, which
// costs a few visits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "placement/row_id.h"

namespace godwit {

class ReuseEstimate {
 public:
  // A row is wanted that is not here: whether to ask for it.
  bool note_absent(RowId id) {
    if (places_.empty()) places_.resize(kPlaces);
    const std::uint64_t hash = RowId::Hash{}(id);
    Place& place = places_[hash % kPlaces];
    if (place.tag != tag_of(hash)) place = {.tag = tag_of(hash)};
    if (place.is_asked != 0) {
      const std::uint32_t doublings = place.doublings;
      place.doublings = (place.uses < kUsesThatPay ? std::min(doublings + 1, kDoublingsMax)
                                                   : std::max(doublings, 1U) - 1U) &
                        7U;
      place.is_asked = 0;
      place.visits = 0;
    }
    if (place.visits++ < kVisitsBeforeAsking << place.doublings) return false;
    place.is_asked = 1;
    place.uses = 0;
    return true;
  }

  void prefetch(RowId id) const {
    if (!places_.empty()) __builtin_prefetch(&places_[RowId::Hash{}(id) % kPlaces], 1);
  }
  // A row is wanted that is here.
  void note_present(RowId id) {
    if (places_.empty()) return;
    const std::uint64_t hash = RowId::Hash{}(id);
    Place& place = places_[hash % kPlaces];
    if (place.is_asked != 0 && place.tag == tag_of(hash) && place.uses < kUsesThatPay) {
      place.uses = (place.uses + 1U) & 3U;
    }
  }

 private:
  struct Place {
    std::uint16_t tag = 0;
    std::uint8_t visits = 0;         // since it was asked for
    std::uint8_t is_asked : 1 = 0;   // was the last that was done
    std::uint8_t uses : 2 = 0;       // since then, at most kUsesThatPay
    std::uint8_t doublings : 3 = 0;  // of the visits before it is asked for
  };
  static constexpr std::uint32_t kVisitsBeforeAsking = 2;
  static constexpr std::uint8_t kUsesThatPay = 2;
  static constexpr std::uint32_t kDoublingsMax = 6;
  static constexpr std::size_t kPlaces = std::size_t{1} << 17;

  static std::uint16_t tag_of(std::uint64_t hash) { return static_cast<std::uint16_t>(hash >> 48); }

  std::vector<Place> places_;  // none until the first note
};

}  // namespace godwit
