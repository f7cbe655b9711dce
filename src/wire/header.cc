// wire/header.cc: the first bytes of a frame, and the names of the parts.
// Thread-safe: no state.
#include "wire/header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

constexpr std::size_t kSequenceOffset = 8;
constexpr std::size_t kReceivedOffset = 16;
constexpr std::size_t kTermOffset = 24;
static_assert(kTermOffset + sizeof(std::uint64_t) == kFrameHeaderBytes);

constexpr std::array kNames = {
    std::pair{PartType::kPull, std::string_view("pull")},
    std::pair{PartType::kAnswer, std::string_view("answer")},
    std::pair{PartType::kPush, std::string_view("push")},
    std::pair{PartType::kApplied, std::string_view("applied")},
    std::pair{PartType::kRefused, std::string_view("refused")},
    std::pair{PartType::kOpenTable, std::string_view("open table")},
    std::pair{PartType::kMakeTable, std::string_view("make table")},
    std::pair{PartType::kMadeTable, std::string_view("made table")},
    std::pair{PartType::kTableReady, std::string_view("table ready")},
    std::pair{PartType::kDropTable, std::string_view("drop table")},
    std::pair{PartType::kRowItems, std::string_view("row items")},
    std::pair{PartType::kRowAcks, std::string_view("row acks")},
    std::pair{PartType::kRowRefreshes, std::string_view("row refreshes")},
    std::pair{PartType::kRowTransfers, std::string_view("row transfers")},
    std::pair{PartType::kRowPlaces, std::string_view("row places")},
    std::pair{PartType::kBarrier, std::string_view("barrier")},
    std::pair{PartType::kReleased, std::string_view("released")},
    std::pair{PartType::kBeat, std::string_view("beat")},
    std::pair{PartType::kReceipt, std::string_view("receipt")},
    std::pair{PartType::kBye, std::string_view("bye")},
    std::pair{PartType::kClock, std::string_view("clock")},
    std::pair{PartType::kJoinClock, std::string_view("join clock")},
    std::pair{PartType::kJoinedClock, std::string_view("joined clock")},
    std::pair{PartType::kStepBegins, std::string_view("step begins")},
    std::pair{PartType::kStepResult, std::string_view("step result")},
    std::pair{PartType::kStepMovement, std::string_view("step movement")},
    std::pair{PartType::kJoinSteps, std::string_view("join steps")},
    std::pair{PartType::kGroupJoins, std::string_view("group joins")},
    std::pair{PartType::kGroupProgress, std::string_view("group progress")},
    std::pair{PartType::kGroupLeaves, std::string_view("group leaves")},
    std::pair{PartType::kGroupsNow, std::string_view("groups now")},
    std::pair{PartType::kExchange, std::string_view("exchange")},
    std::pair{PartType::kExchanged, std::string_view("exchanged")},
    std::pair{PartType::kRoundPart, std::string_view("round part")},
    std::pair{PartType::kRoundReady, std::string_view("round ready")},
    std::pair{PartType::kRoundEnds, std::string_view("round ends")},
};

}  // namespace

std::string_view to_string(PartType type) {
  for (const auto& [one, name] : kNames) {
    if (one == type) return name;
  }
  return "unknown";
}

bool is_part_type(std::uint8_t number) {
  const auto within = [number](PartType first, PartType last) {
    return number >= static_cast<std::uint8_t>(first) && number <= static_cast<std::uint8_t>(last);
  };
  return within(PartType::kPull, PartType::kRefused) ||
         within(PartType::kOpenTable, PartType::kDropTable) ||
         within(PartType::kRowItems, PartType::kRowPlaces) ||
         within(PartType::kBarrier, PartType::kBye) ||
         within(PartType::kClock, PartType::kJoinedClock) ||
         within(PartType::kStepBegins, PartType::kJoinSteps) ||
         within(PartType::kGroupJoins, PartType::kRoundEnds);
}

void write_header(std::span<std::byte> bytes, const FrameHeader& header) {
  GODWIT_CHECK_GE(bytes.size(), kFrameHeaderBytes);
  std::memset(bytes.data(), 0, kSequenceOffset);
  bytes[0] = std::byte{kWireVersion};
  std::memcpy(&bytes[kSequenceOffset], &header.sequence, sizeof header.sequence);
  std::memcpy(&bytes[kReceivedOffset], &header.received, sizeof header.received);
  std::memcpy(&bytes[kTermOffset], &header.term, sizeof header.term);
}

Result<FrameHeader> read_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kFrameHeaderBytes) {
    return corruption("frame: {} bytes, but its header alone has {}", bytes.size(),
                      kFrameHeaderBytes);
  }
  if (bytes[0] != std::byte{kWireVersion}) {
    return corruption("frame: wire version {}, this program speaks {}",
                      std::to_integer<int>(bytes[0]), int{kWireVersion});
  }
  const auto zeros = bytes.subspan(1, kSequenceOffset - 1);
  if (!std::ranges::all_of(zeros, [](std::byte b) { return b == std::byte{0}; })) {
    return corruption("frame: a zero byte of the header is not zero");
  }
  ByteReader reader(bytes.subspan(kSequenceOffset));
  return FrameHeader{
      .sequence = reader.read_u64(), .received = reader.read_u64(), .term = reader.read_u64()};
}

void stamp_frame(Frame& frame, std::uint64_t sequence, std::uint64_t received) {
  GODWIT_CHECK_GE(frame.size(), kFrameHeaderBytes);
  std::memcpy(&frame.bytes()[kSequenceOffset], &sequence, sizeof sequence);
  std::memcpy(&frame.bytes()[kReceivedOffset], &received, sizeof received);
}

}  // namespace godwit
