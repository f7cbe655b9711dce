// wire/control_messages.cc: codecs of barriers, signs of life and farewell.
//
//   barrier   u64 number, u32 node
//   released  u64 number, u32 count, u32 absent[]
//   beat      nothing
//   receipt   nothing
//   bye       u8 reason, u8 zero, u16 text_bytes, text
//
// Thread-safe: no state.
#include "wire/control_messages.h"

#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kBarrierBytes = 12;
constexpr std::size_t kReleasedHeadBytes = 12;
constexpr std::size_t kByeHeadBytes = 4;

}  // namespace

std::size_t Barrier::part_bytes() const {
  return part_bytes_for(kBarrierBytes);
}

void Barrier::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kBarrierBytes);
  payload.write_u64(number);
  payload.write_id(node);
  payload.finish();
}

Result<Barrier> Barrier::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const Barrier barrier{.number = reader.read_u64(), .node = reader.read_id<NodeId>()};
  GODWIT_TRY(reader.finish());
  return barrier;
}

std::size_t Released::part_bytes() const {
  return part_bytes_for(kReleasedHeadBytes + absent.size_bytes());
}

void Released::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kReleasedHeadBytes + absent.size_bytes());
  payload.write_u64(number);
  payload.write_count(absent.size());
  payload.write_array(absent);
  payload.finish();
}

Result<Released> Released::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Released released{.number = reader.read_u64()};
  const std::uint32_t count = reader.read_u32();
  released.absent = reader.read_array<std::uint32_t>("absent", count);
  GODWIT_TRY(reader.finish());
  return released;
}

std::size_t Beat::part_bytes() const {
  return part_bytes_for(0);
}

void Beat::append_to(FrameWriter& writer) const {
  writer.add_part(kType, 0);
}

Result<Beat> Beat::decode(const PartView& part) {
  GODWIT_TRY(PayloadReader(part, kType).finish());
  return Beat{};
}

std::size_t Receipt::part_bytes() const {
  return part_bytes_for(0);
}

void Receipt::append_to(FrameWriter& writer) const {
  writer.add_part(kType, 0);
}

Result<Receipt> Receipt::decode(const PartView& part) {
  GODWIT_TRY(PayloadReader(part, kType).finish());
  return Receipt{};
}

std::size_t Bye::part_bytes() const {
  return part_bytes_for(kByeHeadBytes + shortened(text).size());
}

void Bye::append_to(FrameWriter& writer) const {
  const std::string_view sent = shortened(text);
  PayloadWriter payload(writer, kType, kByeHeadBytes + sent.size());
  payload.write_enum(reason);
  payload.write_zeros(1);
  payload.write_string(sent, kTextBytesMax);
  payload.finish();
}

Result<Bye> Bye::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Bye bye{.reason = reader.read_enum("reason", ByeReason::kFailed)};
  reader.read_zeros(1);
  bye.text = reader.read_string("text", kTextBytesMax);
  GODWIT_TRY(reader.finish());
  return bye;
}

}  // namespace godwit
