// wire/clock_messages.cc: codecs of ticks.
//
//   clock         i64 flushed, i64 stable, u32 slowest
//   join clock    nothing
//   joined clock  i64 stable
//
// Thread-safe: no state.
#include "wire/clock_messages.h"

#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kClockBytes = 20;
constexpr std::size_t kJoinedBytes = 8;

}  // namespace

std::size_t Clock::part_bytes() const {
  return part_bytes_for(kClockBytes);
}

void Clock::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kClockBytes);
  payload.write_i64(flushed.value());
  payload.write_i64(stable.value());
  payload.write_id(slowest);
  payload.finish();
}

Result<Clock> Clock::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const Clock clock{.flushed = Tick{reader.read_i64()},
                    .stable = Tick{reader.read_i64()},
                    .slowest = reader.read_id<WorkerId>()};
  GODWIT_TRY(reader.finish());
  return clock;
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
  payload.finish();
}

Result<JoinedClock> JoinedClock::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const JoinedClock joined{.stable = Tick{reader.read_i64()}};
  GODWIT_TRY(reader.finish());
  return joined;
}

}  // namespace godwit
