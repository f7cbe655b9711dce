// wire/header.h: the layout of a frame: a header of 32 bytes, then parts, each one message.
//
//   frame   = header part*                       all numbers little-endian
//   header  = u8 version, u8 zero[7], u64 sequence, u64 received, u64 term
//   part    = u8 type, u8 zero[3], u32 payload_bytes, payload, zeros to a multiple of 8
//
// So every payload begins 8-byte aligned in the frame, and its arrays are used in place. There is
// one encoding of each message: what decodes, encodes to the same bytes again.
// Thread-safe: no state.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/frame.h"
#include "godwit/result.h"

namespace godwit {

static_assert(std::endian::native == std::endian::little, "arrays in frames are viewed in place");

// Nodes speak with each other only if theirs are equal.
inline constexpr std::uint8_t kWireVersion = 2;

inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::size_t kPartHeaderBytes = 8;
inline constexpr std::size_t kPartAlignment = 8;

inline constexpr std::size_t kNameBytesMax = 128;   // of a table
inline constexpr std::size_t kTextBytesMax = 1024;  // of an error; longer ones are cut on writing

// The message in a part. Numbers are never given to another message.
enum class PartType : std::uint8_t {
  kPull = 1,
  kAnswer = 2,
  kPush = 3,
  kApplied = 4,
  kRefused = 5,

  kOpenTable = 16,
  kMakeTable = 17,
  kMadeTable = 18,
  kTableReady = 19,
  kDropTable = 20,

  kRowItems = 24,
  kRowAcks = 25,
  kRowRefreshes = 26,
  kRowTransfers = 27,
  kRowPlaces = 28,

  kBarrier = 32,
  kReleased = 33,
  kBeat = 34,
  kReceipt = 35,
  kBye = 36,

  kClock = 40,
  kJoinClock = 41,
  kJoinedClock = 42,

  kStepBegins = 48,
  kStepResult = 49,
  kStepMovement = 50,
  kJoinSteps = 51,

  kGroupJoins = 56,
  kGroupProgress = 57,
  kGroupLeaves = 58,
  kGroupsNow = 59,
  kExchange = 60,
  kExchanged = 61,
  kRoundPart = 62,
  kRoundReady = 63,
  kRoundEnds = 64,
};

// The name used in messages, e.g. "open table"; "unknown" for a number that is no type.
std::string_view to_string(PartType type);
bool is_part_type(std::uint8_t number);

struct FrameHeader {
  std::uint64_t sequence = 0;  // of this frame on its link; 0: not numbered
  std::uint64_t received = 0;  // highest in-order sequence received from the addressee
  std::uint64_t term = 0;      // the sender's version of the membership and the partition map

  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

// Bytes of a part with this payload, its header and padding included.
constexpr std::size_t part_bytes_for(std::size_t payload_bytes) {
  return kPartHeaderBytes + (payload_bytes + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
}

// Fills the header. REQUIRES: bytes.size() >= kFrameHeaderBytes.
void write_header(std::span<std::byte> bytes, const FrameHeader& header);

// kCorruption if there are too few bytes, if the version is another or if a zero byte is not zero.
// What follows the header is not looked at.
Result<FrameHeader> read_header(std::span<const std::byte> bytes);

// Writes the two numbers into a finished frame and leaves the rest as it is: they are known only
// when it is sent. REQUIRES: it has a header, and nobody reads it meanwhile.
void stamp_frame(Frame& frame, std::uint64_t sequence, std::uint64_t received);

}  // namespace godwit
