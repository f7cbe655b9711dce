// wire/clock_messages.h: how far the workers of each node are (core/clocks.h).
//
// The functions of a message are those of wire/row_messages.h.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ticks.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// What the sender's workers changed in ticks up to `flushed` is in the rows, at their owners.
// Small, since it is said often. REQUIRES of append_to(): kNoTick <= flushed < 2^48 - 1, or
// kEndOfTime.
struct Clock {
  static constexpr PartType kType = PartType::kClock;

  Tick flushed = {};
  WorkerId slowest = {};  // of its workers; one above 65535 arrives as that

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Clock> decode(const PartView& part);
};

// A node that had no worker is about to have one: its ticks count again.
struct JoinClock {
  static constexpr PartType kType = PartType::kJoinClock;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<JoinClock> decode(const PartView& part);
};

// The answer: ticks up to `stable` may have ended without it; workers that the sender had, and has
// no more, were in ticks up to `last`.
struct JoinedClock {
  static constexpr PartType kType = PartType::kJoinedClock;

  Tick stable = {};
  Tick last = kNoTick;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<JoinedClock> decode(const PartView& part);
};

}  // namespace godwit
