// wire/move_messages.h: how rows are wanted, copied and moved (core/shared_rows.h).
//
// Each message is about rows of one table: an array of records that is used in place, then the
// floats of those rows that carry some, row after row, values and state; changes and refreshes may
// be coded, then they are words of 4 bytes that wire/row_codec.h understands. Contracts of
// part_bytes(), append_to() and decode() as in wire/row_messages.h. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godwit/codec.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

enum class Want : std::uint8_t { kSame = 0, kOn = 1, kOff = 2 };

// A change of a row from a node that does not own it: one at a time per row and origin.
struct ItemRecord {
  Key key = 0;
  std::uint64_t sequence = 0;  // of the origin
  std::uint32_t origin = 0;
  std::uint32_t claim = 0;  // if via_home: the move count that the home knows
  std::uint8_t want = 0;    // a Want
  std::uint8_t has_delta = 0;
  std::uint8_t via_home = 0;
  std::uint8_t zero[5] = {};
};

struct RowItems {
  static constexpr PartType kType = PartType::kRowItems;

  TableId table = {};
  std::uint32_t row_words = 0;  // at least 1
  Codec codec = Codec::kFp32;
  std::span<const ItemRecord> records = {};
  std::span<const float> words = {};  // of those with a delta

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RowItems> decode(const PartView& part);
};

// An item was applied, now or before, by the owner, which tells its origin.
struct AckRecord {
  Key key = 0;
  std::uint64_t sequence = 0;
  std::uint32_t moves = 0;
  std::uint32_t is_refused =
      0;  // 1: the row is wanted by others, the origin gets neither it nor a copy
};

struct RowAcks {
  static constexpr PartType kType = PartType::kRowAcks;

  TableId table = {};
  std::span<const AckRecord> records = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RowAcks> decode(const PartView& part);
};

// A row as its owner has it, for a node that keeps a copy.
struct RefreshRecord {
  Key key = 0;
  std::uint64_t version = 0;
  std::uint64_t contains = 0;  // the last item of the receiver that is in it
  std::uint32_t moves = 0;
  std::uint32_t zero = 0;
};

struct RowRefreshes {
  static constexpr PartType kType = PartType::kRowRefreshes;

  TableId table = {};
  std::uint32_t row_words = 0;  // at least 1
  Codec codec = Codec::kFp32;
  std::span<const RefreshRecord> records = {};
  std::span<const float> words = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RowRefreshes> decode(const PartView& part);
};

// A row moves to the receiver, with all that its owner knows.
struct TransferRecord {
  Key key = 0;
  std::uint64_t version = 0;
  std::uint32_t moves = 0;    // with this move
  std::uint32_t sharers = 0;  // how many of the list are its
};
struct SharerRecord {
  std::uint64_t seen = 0;  // the last item of the node that is in the row
  std::uint32_t node = 0;
  std::uint8_t wants = 0;
  std::uint8_t has_copy = 0;
  std::uint8_t zero[2] = {};
};

struct RowTransfers {
  static constexpr PartType kType = PartType::kRowTransfers;

  TableId table = {};
  std::uint32_t row_floats = 0;  // 0: nobody has written these rows, they begin anew
  std::span<const TransferRecord> records = {};
  std::span<const SharerRecord> sharers = {};
  std::span<const float> floats = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RowTransfers> decode(const PartView& part);
};

enum class PlaceNews : std::uint8_t {
  kMoved = 0,    // to a node with a copy: it has another owner now
  kHome = 1,     // to the home
  kHomeAck = 2,  // from the home: it knows
};

struct PlaceRecord {
  Key key = 0;
  std::uint32_t owner = 0;
  std::uint32_t moves = 0;
};

struct RowPlaces {
  static constexpr PartType kType = PartType::kRowPlaces;

  TableId table = {};
  PlaceNews news = PlaceNews::kMoved;
  std::span<const PlaceRecord> records = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RowPlaces> decode(const PartView& part);
};

}  // namespace godwit
