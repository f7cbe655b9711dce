// wire/group_messages.cc: codecs of groups and their rounds.
//
//   group joins     u64 request, u64 incarnation, u32 group, u32 rank, u32 size
//   group progress  u64 step
//   group leaves    -
//   groups now      u64 version, u64 round, u32 count, u32 zero, {u64 life, u32 group, u32 size}
//                   live[]
//   round part      u64 round, u64 life, u32 group, u32 rank, u32 size
//   round ready     u64 round, u64 life, u32 group
//   round ends      u64 round, u32 count, u32 zero, {u64 life, u32 group, u32 size} chosen[]
//
// Thread-safe: no state.
#include "wire/group_messages.h"

#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kJoinsBytes = 28;
constexpr std::size_t kProgressBytes = 8;
constexpr std::size_t kNowHeadBytes = 24;
constexpr std::size_t kPartBytes = 28;
constexpr std::size_t kReadyBytes = 20;
constexpr std::size_t kEndsHeadBytes = 16;

// The rank and the size behind it.
template <class Message>
void read_rank(PayloadReader& reader, Message& message) {
  message.rank = reader.read_u32();
  message.size = reader.read_u32();
  if (message.rank >= message.size) reader.refuse("rank", "is not below size");
}

}  // namespace

std::size_t GroupJoins::part_bytes() const {
  return part_bytes_for(kJoinsBytes);
}

void GroupJoins::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kJoinsBytes);
  payload.write_u64(request);
  payload.write_u64(incarnation);
  payload.write_u32(group);
  payload.write_u32(rank);
  payload.write_u32(size);
  payload.finish();
}

Result<GroupJoins> GroupJoins::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  GroupJoins joins{.request = reader.read_u64(), .incarnation = reader.read_u64()};
  joins.group = reader.read_u32();
  read_rank(reader, joins);
  GODWIT_TRY(reader.finish());
  return joins;
}

std::size_t GroupProgress::part_bytes() const {
  return part_bytes_for(kProgressBytes);
}

void GroupProgress::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kProgressBytes);
  payload.write_u64(step);
  payload.finish();
}

Result<GroupProgress> GroupProgress::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const GroupProgress progress{.step = reader.read_u64()};
  GODWIT_TRY(reader.finish());
  return progress;
}

std::size_t GroupLeaves::part_bytes() const {
  return part_bytes_for(0);
}

void GroupLeaves::append_to(FrameWriter& writer) const {
  PayloadWriter(writer, kType, 0).finish();
}

Result<GroupLeaves> GroupLeaves::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  GODWIT_TRY(reader.finish());
  return GroupLeaves{};
}

std::size_t GroupsNow::part_bytes() const {
  return part_bytes_for(kNowHeadBytes + live.size_bytes());
}

void GroupsNow::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kNowHeadBytes + live.size_bytes());
  payload.write_u64(version);
  payload.write_u64(round);
  payload.write_count(live.size());
  payload.write_zeros(4);
  payload.write_array(live);
  payload.finish();
}

Result<GroupsNow> GroupsNow::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  GroupsNow now{.version = reader.read_u64(), .round = reader.read_u64()};
  const std::uint32_t count = reader.read_u32();
  reader.read_zeros(4);
  now.live = reader.read_array<GroupRecord>("live", count);
  GODWIT_TRY(reader.finish());
  return now;
}

std::size_t RoundPart::part_bytes() const {
  return part_bytes_for(kPartBytes);
}

void RoundPart::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kPartBytes);
  payload.write_u64(round);
  payload.write_u64(life);
  payload.write_u32(group);
  payload.write_u32(rank);
  payload.write_u32(size);
  payload.finish();
}

Result<RoundPart> RoundPart::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RoundPart one{.round = reader.read_u64(), .life = reader.read_u64()};
  one.group = reader.read_u32();
  read_rank(reader, one);
  GODWIT_TRY(reader.finish());
  return one;
}

std::size_t RoundReady::part_bytes() const {
  return part_bytes_for(kReadyBytes);
}

void RoundReady::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kReadyBytes);
  payload.write_u64(round);
  payload.write_u64(life);
  payload.write_u32(group);
  payload.finish();
}

Result<RoundReady> RoundReady::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const RoundReady ready{
      .round = reader.read_u64(), .life = reader.read_u64(), .group = reader.read_u32()};
  GODWIT_TRY(reader.finish());
  return ready;
}

std::size_t RoundEnds::part_bytes() const {
  return part_bytes_for(kEndsHeadBytes + chosen.size_bytes());
}

void RoundEnds::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kEndsHeadBytes + chosen.size_bytes());
  payload.write_u64(round);
  payload.write_count(chosen.size());
  payload.write_zeros(4);
  payload.write_array(chosen);
  payload.finish();
}

Result<RoundEnds> RoundEnds::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  RoundEnds ends{.round = reader.read_u64()};
  const std::uint32_t count = reader.read_u32();
  reader.read_zeros(4);
  ends.chosen = reader.read_array<GroupRecord>("chosen", count);
  GODWIT_TRY(reader.finish());
  return ends;
}

}  // namespace godwit
