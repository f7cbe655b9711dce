// wire/exchange_messages.h: rows of a group and of a table come together in one trip
// (core/exchanges.h).
//
// The functions of a message are those of wire/row_messages.h. Coded rows are those of
// wire/exchange_codec.h; their places are not checked here.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godwit/groups.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/exchange_codec.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// From a rank to an owner of rows. The owner keeps what the sender knows of a row, if asked to: its
// shadow. A coded row is then the difference to it.
struct Exchange {
  static constexpr PartType kType = PartType::kExchange;
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

  std::uint64_t request = 0;
  std::uint64_t round = 0;    // of kSync, these three
  std::uint64_t samples = 0;  // that the sums are of
  std::uint64_t life = 0;     // of the group
  TableId table = {};
  std::uint32_t group = kNoGroup;
  ExchangeMode mode = ExchangeMode::kElastic;
  ExchangeRowCodec codec = {};                 // of the rows in this message; floats: at least 1
  ExchangeCodec reply = ExchangeCodec::kFp32;  // how to answer; not top-k
  bool is_whole = true;                        // no shadow is to be used
  bool keeps_shadow = false;                   // one is to be kept
  std::span<const Key> keys = {};
  std::span<const std::uint32_t> words = {};  // keys.size() * codec.words()

  std::size_t part_bytes() const { return part_bytes(keys.size(), codec); }
  void append_to(FrameWriter& writer) const;
  static Result<Exchange> decode(const PartView& part);

  struct Room {
    std::span<Key> keys;
    std::span<std::uint32_t> words;
  };
  static std::size_t part_bytes(std::size_t count, const ExchangeRowCodec& codec);
  // As Pull::begin().
  static Room begin(FrameWriter& writer, const Exchange& head, std::size_t count);
};

// The answer, for all rows of the request in its order. A coded row is, with a shadow, the
// difference to that; of kElastic always what the row moved.
struct Exchanged {
  static constexpr PartType kType = PartType::kExchanged;

  std::uint64_t request = 0;
  std::uint64_t next_round = 0;               // of kSync
  std::uint32_t count = 0;                    // rows
  std::uint32_t live = 0;                     // groups
  float alpha = 0;                            // of kElastic
  bool is_counted = true;                     // of kSync
  ExchangeRowCodec codec = {};                // floats: at least 1; not top-k
  std::span<const std::uint32_t> words = {};  // count * codec.words()

  std::size_t part_bytes() const { return part_bytes(count, codec); }
  void append_to(FrameWriter& writer) const;
  static Result<Exchanged> decode(const PartView& part);

  static std::size_t part_bytes(std::size_t count, const ExchangeRowCodec& codec);
  // Writes all but the words and gives their memory.
  static std::span<std::uint32_t> begin(FrameWriter& writer, const Exchanged& head);
};

}  // namespace godwit
