// placement/use_balance.h: which node uses a row most, by the count of the majority: one node
// counts up, all others count down. A row moves to who leads clearly. Pure.
//
// Four bytes for each of many rows; rows that meet in a place forget each other, which costs a few
// uses from afar.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/row_id.h"

namespace godwit {

class UseBalance {
 public:
  void prefetch(RowId id) const {
    if (!places_.empty()) __builtin_prefetch(&places_[RowId::Hash{}(id) % kPlaces], 1);
  }
  // A node uses a row that is not its own. True: it leads, the row should move there.
  bool note_remote(RowId id, NodeId node) {
    if (places_.empty()) places_.resize(kPlaces);
    Place& place = place_of(id);
    if (place.lead == 0) place.node = number(node) & kNodeMask;
    if (place.node != number(node)) {
      --place.lead;
    } else if (place.lead < kLeadMax) {
      ++place.lead;
    }
    return place.node == number(node) && place.lead >= kLeadThatPays;
  }
  // The owner has used it since another node did, and leads then. Nothing is remembered where no
  // other node uses any row.
  void note_own(RowId id, NodeId self) {
    if (places_.empty()) return;
    Place& place = place_of(id);
    place.node = number(self) & kNodeMask;
    place.lead = kLeadMax;
  }

 private:
  struct Place {
    std::uint16_t tag = 0;
    std::uint16_t node : 13 = 0;
    std::uint16_t lead : 3 = 0;
  };
  static_assert(sizeof(Place) == 4);
  static constexpr std::uint16_t kNodeMask = 0x1fff;
  // What a row costs that moves in vain is paid for by two uses that need not travel.
  static constexpr std::uint16_t kLeadThatPays = 3;
  static constexpr std::uint16_t kLeadMax = 4;
  static constexpr std::size_t kPlaces = std::size_t{1} << 17;

  static std::uint16_t number(NodeId node) {
    return static_cast<std::uint16_t>(node.value() & kNodeMask);
  }
  Place& place_of(RowId id) {
    const std::uint64_t hash = RowId::Hash{}(id);
    Place& place = places_[hash % kPlaces];
    const auto tag = static_cast<std::uint16_t>(hash >> 48);
    if (place.tag != tag) place = {.tag = tag};
    return place;
  }

  std::vector<Place> places_;  // none until the first remote use
};

}  // namespace godwit
