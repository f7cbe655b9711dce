// wire/row_messages.cc: codecs of pulls, pushes and what is answered to them.
//
//   pull     u64 request, u32 origin, u32 table, u32 count, u8 hops, u8 has_positions, u8 via_home,
//            u8 how (1: whole rows, 2: in step), u32 claim, u32 stable, u64 keys[count], u32
//            positions[count] if has_positions
//   answer   u64 request, u32 owner, u32 row_length, u32 count, u8 has_positions, u8 zero[3],
//            f32 values[count * row_length], u32 positions[count] if has_positions
//   push     u64 request, u32 origin, u32 table, u32 row_length, u32 count, u8 hops, u8 mode,
//            u8 via_home, u8 extra, u32 claim, {u64 tick, u32 worker, u32 order} if extra is 2,
//            u64 keys[count], f32 floats[count * row_length], u32 positions[count] if extra is 1
//   applied  u64 request, u32 owner, u32 count
//   refused  u64 request, u32 by, u32 count, u8 code, u8 zero, u16 text_bytes, text
//
// Thread-safe: no state.
#include "wire/row_messages.h"

#include <cstring>

#include "base/check.h"
#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kPullHeadBytes = 32;
constexpr std::size_t kAnswerHeadBytes = 24;
constexpr std::size_t kPushHeadBytes = 32;
constexpr std::size_t kMarkBytes = 16;
constexpr std::uint8_t kWholeRows = 1;
constexpr std::uint8_t kInStep = 2;
constexpr std::size_t kAppliedBytes = 16;
constexpr std::size_t kRefusedHeadBytes = 20;
static_assert(kFrameHeaderBytes + kPartHeaderBytes + kAnswerHeadBytes == 64);

std::size_t pull_payload(std::size_t count, bool has_positions) {
  return kPullHeadBytes + count * (sizeof(Key) + (has_positions ? sizeof(std::uint32_t) : 0));
}

std::size_t answer_payload(std::size_t count, std::uint32_t row_length, bool has_positions) {
  return kAnswerHeadBytes +
         count * (row_length * sizeof(float) + (has_positions ? sizeof(std::uint32_t) : 0));
}

std::size_t push_payload(std::size_t count, std::uint32_t row_length, Push::Extra extra) {
  const std::size_t position_bytes = extra == Push::Extra::kPositions ? sizeof(std::uint32_t) : 0;
  return kPushHeadBytes + (extra == Push::Extra::kMark ? kMarkBytes : 0) +
         count * (sizeof(Key) + row_length * sizeof(float) + position_bytes);
}

template <class T>
void fill(std::span<T> room, std::span<const T> values) {
  GODWIT_CHECK_EQ(room.size(), values.size());
  if (!room.empty()) std::memcpy(room.data(), values.data(), values.size_bytes());
}

// An empty message has no positions, so that there is one encoding of it.
std::span<const std::uint32_t> read_positions(PayloadReader& reader, std::uint32_t count,
                                              bool has_positions) {
  if (!has_positions) return {};
  if (count == 0) reader.refuse("has_positions", "is 1 without a row");
  return reader.read_array<std::uint32_t>("positions", count);
}

}  // namespace

std::size_t Pull::part_bytes(std::size_t count, bool has_positions) {
  return part_bytes_for(pull_payload(count, has_positions));
}

Pull::Room Pull::begin(FrameWriter& writer, const Pull& head, std::size_t count,
                       bool has_positions) {
  GODWIT_CHECK(count > 0 || !has_positions);
  PayloadWriter payload(writer, kType, pull_payload(count, has_positions));
  payload.write_u64(head.request);
  payload.write_id(head.origin);
  payload.write_id(head.table);
  payload.write_count(count);
  payload.write_u8(head.hops);
  payload.write_u8(has_positions ? 1 : 0);
  payload.write_u8(head.via_home ? 1 : 0);
  payload.write_u8(
      static_cast<std::uint8_t>((head.whole_rows ? kWholeRows : 0) | (head.in_step ? kInStep : 0)));
  payload.write_u32(head.claim);
  payload.write_u32(head.stable);
  const Room room{.keys = payload.take_array<Key>(count),
                  .positions = payload.take_array<std::uint32_t>(has_positions ? count : 0)};
  payload.finish();
  return room;
}

void Pull::append_to(FrameWriter& writer) const {
  const Room room = begin(writer, *this, keys.size(), !positions.empty());
  fill(room.keys, keys);
  fill(room.positions, positions);
}

Result<Pull> Pull::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Pull pull{.request = reader.read_u64(),
            .origin = reader.read_id<NodeId>(),
            .table = reader.read_id<TableId>()};
  const std::uint32_t count = reader.read_u32();
  pull.hops = reader.read_u8();
  const bool has_positions = reader.read_bool("has_positions");
  pull.via_home = reader.read_bool("via_home");
  const std::uint8_t how = reader.read_u8();
  if (how > (kWholeRows | kInStep)) reader.refuse("how", "is no such number");
  pull.whole_rows = (how & kWholeRows) != 0;
  pull.in_step = (how & kInStep) != 0;
  pull.claim = reader.read_u32();
  pull.stable = reader.read_u32();
  pull.keys = reader.read_array<Key>("keys", count);
  pull.positions = read_positions(reader, count, has_positions);
  GODWIT_TRY(reader.finish());
  return pull;
}

std::size_t Answer::part_bytes(std::size_t count, std::uint32_t row_length, bool has_positions) {
  return part_bytes_for(answer_payload(count, row_length, has_positions));
}

Answer::Room Answer::begin(FrameWriter& writer, const Answer& head, bool has_positions) {
  GODWIT_CHECK_GE(head.row_length, 1U);
  GODWIT_CHECK(head.count > 0 || !has_positions);
  const std::size_t count = head.count;
  PayloadWriter payload(writer, kType, answer_payload(count, head.row_length, has_positions));
  payload.write_u64(head.request);
  payload.write_id(head.owner);
  payload.write_u32(head.row_length);
  payload.write_u32(head.count);
  payload.write_u8(has_positions ? 1 : 0);
  payload.write_zeros(3);
  const Room room{.values = payload.take_array<float>(count * head.row_length),
                  .positions = payload.take_array<std::uint32_t>(has_positions ? count : 0)};
  payload.finish();
  return room;
}

void Answer::append_to(FrameWriter& writer) const {
  const Room room = begin(writer, *this, !positions.empty());
  fill(room.values, values);
  fill(room.positions, positions);
}

Result<Answer> Answer::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Answer answer{.request = reader.read_u64(),
                .owner = reader.read_id<NodeId>(),
                .row_length = reader.read_at_least_1("row_length"),
                .count = reader.read_u32()};
  const bool has_positions = reader.read_bool("has_positions");
  reader.read_zeros(3);
  const std::uint64_t value_count = std::uint64_t{answer.count} * answer.row_length;
  answer.values = reader.read_array<float>("values", value_count);
  answer.positions = read_positions(reader, answer.count, has_positions);
  GODWIT_TRY(reader.finish());
  return answer;
}

std::size_t Push::part_bytes(std::size_t count, std::uint32_t row_length, Extra extra) {
  return part_bytes_for(push_payload(count, row_length, extra));
}

Push::Room Push::begin(FrameWriter& writer, const Push& head, std::size_t count,
                       bool has_positions) {
  GODWIT_CHECK_GE(head.row_length, 1U);
  GODWIT_CHECK(!has_positions || (count > 0 && !head.mark));
  const Extra extra = has_positions ? Extra::kPositions : head.mark ? Extra::kMark : Extra::kNone;
  PayloadWriter payload(writer, kType, push_payload(count, head.row_length, extra));
  payload.write_u64(head.request);
  payload.write_id(head.origin);
  payload.write_id(head.table);
  payload.write_u32(head.row_length);
  payload.write_count(count);
  payload.write_u8(head.hops);
  payload.write_enum(head.mode);
  payload.write_u8(head.via_home ? 1 : 0);
  payload.write_enum(extra);
  payload.write_u32(head.claim);
  if (head.mark) {
    payload.write_i64(head.mark->tick.value());
    payload.write_id(head.mark->worker);
    payload.write_u32(head.mark->order);
  }
  const Room room{.keys = payload.take_array<Key>(count),
                  .floats = payload.take_array<float>(count * head.row_length),
                  .positions = payload.take_array<std::uint32_t>(has_positions ? count : 0)};
  payload.finish();
  return room;
}

void Push::append_to(FrameWriter& writer) const {
  const Room room = begin(writer, *this, keys.size(), !positions.empty());
  fill(room.keys, keys);
  fill(room.floats, floats);
  fill(room.positions, positions);
}

Result<Push> Push::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Push push{.request = reader.read_u64(),
            .origin = reader.read_id<NodeId>(),
            .table = reader.read_id<TableId>()};
  push.row_length = reader.read_at_least_1("row_length");
  const std::uint32_t count = reader.read_u32();
  push.hops = reader.read_u8();
  push.mode = reader.read_enum("mode", PushMode::kStep);
  push.via_home = reader.read_bool("via_home");
  const auto extra = reader.read_enum("extra", Extra::kMark);
  push.claim = reader.read_u32();
  if (extra == Extra::kMark) {
    push.mark = TickMark{.tick = Tick{reader.read_i64()},
                         .worker = reader.read_id<WorkerId>(),
                         .order = reader.read_u32()};
    if (push.mark->tick < Tick{0}) reader.refuse("tick", "is negative");
    if (push.mode == PushMode::kExchange) reader.refuse("extra", "is 2 in an exchange");
  }
  if (push.mode == PushMode::kStep && !push.mark) reader.refuse("extra", "is not 2 in a step");
  push.keys = reader.read_array<Key>("keys", count);
  push.floats = reader.read_array<float>("floats", std::uint64_t{count} * push.row_length);
  push.positions = read_positions(reader, count, extra == Extra::kPositions);
  GODWIT_TRY(reader.finish());
  return push;
}

std::size_t Applied::part_bytes() const {
  return part_bytes_for(kAppliedBytes);
}

void Applied::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kAppliedBytes);
  payload.write_u64(request);
  payload.write_id(owner);
  payload.write_u32(count);
  payload.finish();
}

Result<Applied> Applied::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const Applied applied{
      .request = reader.read_u64(), .owner = reader.read_id<NodeId>(), .count = reader.read_u32()};
  GODWIT_TRY(reader.finish());
  return applied;
}

std::size_t Refused::part_bytes() const {
  return part_bytes_for(kRefusedHeadBytes + shortened(text).size());
}

void Refused::append_to(FrameWriter& writer) const {
  const std::string_view sent = shortened(text);
  PayloadWriter payload(writer, kType, kRefusedHeadBytes + sent.size());
  payload.write_u64(request);
  payload.write_id(by);
  payload.write_u32(count);
  payload.write_enum(code);
  payload.write_zeros(1);
  payload.write_string(sent, kTextBytesMax);
  payload.finish();
}

Result<Refused> Refused::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Refused refused{.request = reader.read_u64(),
                  .by = reader.read_id<NodeId>(),
                  .count = reader.read_u32(),
                  .code = reader.read_enum("code", kErrorCodeLast)};
  reader.read_zeros(1);
  refused.text = reader.read_string("text", kTextBytesMax);
  GODWIT_TRY(reader.finish());
  return refused;
}

}  // namespace godwit
