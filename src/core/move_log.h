// core/move_log.h: the last changes of owners that this node, as a home, has heard of. Owned by the
// node's state machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time_source.h"
#include "core/row_entry.h"
#include "placement/row_id.h"

namespace godwit {

// Bounded: the oldest are forgotten, of all rows together.
class MoveLog {
 public:
  static constexpr std::size_t kKept = 4096;

  struct Move {
    RowId row;
    Location to;
    Time at;
  };

  // The time of what is added from now on.
  void note_time(Time now) { now_ = now; }

  void add(RowId row, const Location& to) {
    if (ring_.size() < kKept) {
      ring_.push_back({row, to, now_});
    } else {
      ring_[next_] = {row, to, now_};
      next_ = (next_ + 1) % kKept;
    }
  }

  // Those of a row, the oldest first.
  std::vector<Move> of(RowId row) const {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      const Move& move = ring_[(next_ + i) % ring_.size()];
      if (move.row == row) moves.push_back(move);
    }
    return moves;
  }

 private:
  Time now_;
  std::vector<Move> ring_;
  std::size_t next_ = 0;  // the oldest, once it is full
};

}  // namespace godwit
