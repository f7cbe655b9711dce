// wire/clock_messages.cc: codecs of ticks.
//
//   clock         u64: flushed + 1 in the upper 48 bits, all of them ones: kEndOfTime; slowest in
//                 the lower 16, those that do not fit: 65535
//   join clock    nothing
//   joined clock  i64 stable, i64 last
//
// Thread-safe: no state.
#include "wire/clock_messages.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kClockBytes = 8;
constexpr std::size_t kJoinedBytes = 16;
constexpr int kWorkerBits = 16;
constexpr std::int64_t kWorkerMax = (1 << kWorkerBits) - 1;
constexpr std::uint64_t kTickMax = ~std::uint64_t{0} >> kWorkerBits;

}  // namespace

std::size_t Clock::part_bytes() const {
  return part_bytes_for(kClockBytes);
}

void Clock::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kClockBytes);
  const auto tick =
      flushed == kEndOfTime ? kTickMax : static_cast<std::uint64_t>(flushed.value() + 1);
  GODWIT_CHECK_LE(tick, kTickMax);
  const auto worker = static_cast<std::uint64_t>(std::min(slowest.value(), kWorkerMax));
  payload.write_u64(tick << kWorkerBits | worker);
  payload.finish();
}

Result<Clock> Clock::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const std::uint64_t both = reader.read_u64();
  GODWIT_TRY(reader.finish());
  const std::uint64_t tick = both >> kWorkerBits;
  return Clock{.flushed = tick == kTickMax ? kEndOfTime : Tick{static_cast<std::int64_t>(tick) - 1},
               .slowest = WorkerId{static_cast<std::int64_t>(both) & kWorkerMax}};
}

std::size_t JoinClock::part_bytes() const {
  return part_bytes_for(0);
}

void JoinClock::append_to(FrameWriter& writer) const {
  PayloadWriter(writer, kType, 0).finish();
}

Result<JoinClock> JoinClock::decode(const PartView& part) {
  GODWIT_TRY(PayloadReader(part, kType).finish());
  return JoinClock{};
}

std::size_t JoinedClock::part_bytes() const {
  return part_bytes_for(kJoinedBytes);
}

void JoinedClock::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kJoinedBytes);
  payload.write_i64(stable.value());
  payload.write_i64(last.value());
  payload.finish();
}

Result<JoinedClock> JoinedClock::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const JoinedClock joined{.stable = Tick{reader.read_i64()}, .last = Tick{reader.read_i64()}};
  GODWIT_TRY(reader.finish());
  return joined;
}

}  // namespace godwit
