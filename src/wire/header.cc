// wire/header.cc: the first bytes of a frame, and the names of the parts.
// Thread-safe: no state.
#include "wire/header.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

constexpr std::size_t kSequenceOffset = 8;
constexpr std::size_t kReceivedOffset = 16;
constexpr std::size_t kTermOffset = 24;
static_assert(kTermOffset + sizeof(std::uint64_t) == kFrameHeaderBytes);

}  // namespace

std::string_view to_string(PartType type) {
  switch (type) {
    case PartType::kPull:
      return "pull";
    case PartType::kAnswer:
      return "answer";
    case PartType::kPush:
      return "push";
    case PartType::kApplied:
      return "applied";
    case PartType::kRefused:
      return "refused";
    case PartType::kOpenTable:
      return "open table";
    case PartType::kMakeTable:
      return "make table";
    case PartType::kMadeTable:
      return "made table";
    case PartType::kTableReady:
      return "table ready";
    case PartType::kDropTable:
      return "drop table";
    case PartType::kRowItems:
      return "row items";
    case PartType::kRowAcks:
      return "row acks";
    case PartType::kRowRefreshes:
      return "row refreshes";
    case PartType::kRowTransfers:
      return "row transfers";
    case PartType::kRowPlaces:
      return "row places";
    case PartType::kBarrier:
      return "barrier";
    case PartType::kReleased:
      return "released";
    case PartType::kBeat:
      return "beat";
    case PartType::kReceipt:
      return "receipt";
    case PartType::kBye:
      return "bye";
    case PartType::kClock:
      return "clock";
    case PartType::kJoinClock:
      return "join clock";
    case PartType::kJoinedClock:
      return "joined clock";
    case PartType::kStepBegins:
      return "step begins";
    case PartType::kStepResult:
      return "step result";
    case PartType::kStepMovement:
      return "step movement";
    case PartType::kJoinSteps:
      return "join steps";
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
         within(PartType::kStepBegins, PartType::kJoinSteps);
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
