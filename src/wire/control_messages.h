// wire/control_messages.h: barriers, signs of life and farewell.
//
// The functions of a message are those of wire/row_messages.h.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// All of this node's workers have reached the barrier of this number.
struct Barrier {
  static constexpr PartType kType = PartType::kBarrier;

  std::uint64_t number = 0;
  NodeId node = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Barrier> decode(const PartView& part);
};

// All nodes have reached it, or are lost and can be done without.
struct Released {
  static constexpr PartType kType = PartType::kReleased;

  std::uint64_t number = 0;
  std::span<const std::uint32_t> absent = {};  // nodes that are lost

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Released> decode(const PartView& part);
};

// "I live", when there was nothing else to say.
struct Beat {
  static constexpr PartType kType = PartType::kBeat;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Beat> decode(const PartView& part);
};

// Travels in a frame without number; what it says is the header's `received`.
struct Receipt {
  static constexpr PartType kType = PartType::kReceipt;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Receipt> decode(const PartView& part);
};

enum class ByeReason : std::uint8_t {
  kFinished = 0,  // closed by its user
  kFailed = 1,    // cannot go on; the text says why
};

// The sender's last message.
struct Bye {
  static constexpr PartType kType = PartType::kBye;

  ByeReason reason = ByeReason::kFinished;
  std::string_view text = {};  // cut to kTextBytesMax; any bytes

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<Bye> decode(const PartView& part);
};

}  // namespace godwit
