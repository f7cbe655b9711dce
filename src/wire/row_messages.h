// wire/row_messages.h: reading and changing rows of other nodes.
//
// A request is numbered by the node where it began, its origin; it may be split over owners, and
// each owner answers for its part. Every message: part_bytes() is its size in a frame,
// append_to() writes it, decode() reads it in place: spans and texts point into the frame.
// decode() fails with kCorruption naming the field; it takes constant time and no memory, whatever
// the counts say. REQUIRES of append_to(): ids from 0 to 2^32 - 1, fewer than 2^32 elements.
// REQUIRES of decode(): the part is of this type, and comes from open_frame().
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/ticks.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// `positions[i]` is the place of the message's row i in the original request; no positions: the
// message is about the whole request, in its order. Positions are not checked against the size of
// the request, which only its origin knows: whoever uses them does.

// Asks for the values of rows, or for whole rows: values, then state.
struct Pull {
  static constexpr PartType kType = PartType::kPull;

  std::uint64_t request = 0;
  NodeId origin = {};
  TableId table = {};
  std::uint8_t hops = 0;  // how often it was sent on, at least
  bool via_home = false;  // by the home, which knows of at least `claim` moves of each row
  bool whole_rows = false;
  bool in_step = false;  // `stable` is a step, which must have begun where the rows are
  std::uint32_t claim = 0;
  ShortTick stable = 0;  // this tick is; what was changed in it must be in the answer
  std::span<const Key> keys = {};
  std::span<const std::uint32_t> positions = {};  // empty, or one for each key

  std::size_t part_bytes() const { return part_bytes(keys.size(), !positions.empty()); }
  void append_to(FrameWriter& writer) const;
  static Result<Pull> decode(const PartView& part);

  struct Room {
    std::span<Key> keys;
    std::span<std::uint32_t> positions;
  };
  static std::size_t part_bytes(std::size_t count, bool has_positions);
  // Writes all but the arrays (`head.keys` and `head.positions` are not looked at) and gives their
  // memory, not initialized, to be filled before the frame is sent. No positions if count is 0.
  static Room begin(FrameWriter& writer, const Pull& head, std::size_t count, bool has_positions);
};

// The values of rows, or whole rows, from their owner. `values` are 64 bytes into a frame that
// begins with it.
struct Answer {
  static constexpr PartType kType = PartType::kAnswer;

  std::uint64_t request = 0;
  NodeId owner = {};
  std::uint32_t row_length = 0;                   // at least 1
  std::uint32_t count = 0;                        // rows
  std::span<const float> values = {};             // count * row_length
  std::span<const std::uint32_t> positions = {};  // empty, or one for each row

  std::size_t part_bytes() const { return part_bytes(count, row_length, !positions.empty()); }
  void append_to(FrameWriter& writer) const;
  static Result<Answer> decode(const PartView& part);

  struct Room {
    std::span<float> values;
    std::span<std::uint32_t> positions;
  };
  static std::size_t part_bytes(std::size_t count, std::uint32_t row_length, bool has_positions);
  // As Pull::begin(); count and row_length are those of `head`.
  static Room begin(FrameWriter& writer, const Answer& head, bool has_positions);
};

enum class PushMode : std::uint8_t {
  kPush = 0,          // floats are gradients, for the table's rule
  kSetKeepState = 1,  // floats are values; the optimizer state stays
  kSetResetState = 2,
  kMerge = 3,     // floats are added to whole rows: what a copy of additive rows has gathered
  kExchange = 4,  // the same, and it is answered with the rows that come of it
  kStep = 5,      // floats are sums of gradients for a step, whose number is the mark's tick
};

// Of changes that are kept until their tick is stable: what a worker of the origin changed in a
// tick, the `order`th of what it sent then.
struct TickMark {
  Tick tick = {};
  WorkerId worker = {};
  std::uint32_t order = 0;

  friend bool operator==(const TickMark&, const TickMark&) = default;
};

// Changes rows. Answered by Applied, or by Answer with whole rows if it is an exchange.
struct Push {
  static constexpr PartType kType = PartType::kPush;

  std::uint64_t request = 0;
  NodeId origin = {};
  TableId table = {};
  std::uint8_t hops = 0;  // these as in Pull
  bool via_home = false;
  std::uint32_t claim = 0;
  PushMode mode = PushMode::kPush;
  std::uint32_t row_length = 0;  // at least 1
  std::span<const Key> keys = {};
  std::span<const float> floats = {};             // keys.size() * row_length, row after row
  std::span<const std::uint32_t> positions = {};  // of an exchange: empty, or one for each key
  std::optional<TickMark> mark = {};              // not of an exchange

  // What a push may have beside its rows.
  enum class Extra : std::uint8_t { kNone, kPositions, kMark };
  Extra extra() const {
    if (mark) return Extra::kMark;
    return positions.empty() ? Extra::kNone : Extra::kPositions;
  }

  std::size_t part_bytes() const { return part_bytes(keys.size(), row_length, extra()); }
  void append_to(FrameWriter& writer) const;
  static Result<Push> decode(const PartView& part);

  struct Room {
    std::span<Key> keys;
    std::span<float> floats;
    std::span<std::uint32_t> positions;
  };
  static std::size_t part_bytes(std::size_t count, std::uint32_t row_length,
                                Extra extra = Extra::kNone);
  // As Pull::begin(); the mark is that of `head`, which has no positions then.
  static Room begin(FrameWriter& writer, const Push& head, std::size_t count,
                    bool has_positions = false);
};

// `count` rows of a push are changed.
struct Applied {
  static constexpr PartType kType = PartType::kApplied;

  std::uint64_t request = 0;
  NodeId owner = {};
  std::uint32_t count = 0;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Applied> decode(const PartView& part);
};

// `count` rows of a pull or push could not be read or changed.
struct Refused {
  static constexpr PartType kType = PartType::kRefused;

  std::uint64_t request = 0;
  NodeId by = {};
  std::uint32_t count = 0;
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string_view text = {};  // cut to kTextBytesMax; any bytes

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Refused> decode(const PartView& part);
};

}  // namespace godwit
