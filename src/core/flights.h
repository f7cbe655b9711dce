// core/flights.h: which rows this node's own pulls and pushes are under way for, roughly: rows that
// share a counter are not told apart. Owned by the node's state machine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/waits.h"
#include "placement/row_id.h"

namespace godwit {

class Flights {
 public:
  void begin(TicketId ticket, TableId table, std::span<const Key> keys) {
    std::vector<std::uint16_t>& slots = under_way_[ticket.value()];
    for (const Key key : keys) {
      slots.push_back(slot_of({table, key}));
      ++counts_[slots.back()];
    }
  }
  // Does nothing if the ticket is not one of these.
  void end(TicketId ticket) {
    const auto found = under_way_.find(ticket.value());
    if (found == under_way_.end()) return;
    for (const std::uint16_t slot : found->second) --counts_[slot];
    under_way_.erase(found);
  }

  // Whether all under tickets up to `last` have ended.
  bool have_ended(TicketId last) const {
    return under_way_.empty() || under_way_.begin()->first > last.value();
  }
  // False: for sure not.
  bool may_be_under_way(RowId id) const { return counts_[slot_of(id)] > 0; }

 private:
  static constexpr std::size_t kSlots = 4096;
  static std::uint16_t slot_of(RowId id) {
    return static_cast<std::uint16_t>(RowId::Hash{}(id) % kSlots);
  }

  std::array<std::uint32_t, kSlots> counts_{};
  std::map<std::int64_t, std::vector<std::uint16_t>> under_way_;
};

}  // namespace godwit
