// wire/exchange_messages.cc: codecs of exchanges.
//
//   exchange   u64 request, u64 round, u64 samples, u64 life, u32 table, u32 group, u32 floats,
//              u32 kept, u32 count, u8 mode, u8 codec, u8 reply, u8 is_whole, u8 keeps_shadow,
//              u8 zeros[7], u64 keys[count], u32 words[]
//   exchanged  u64 request, u64 next_round, u32 count, u32 live, f32 alpha, u32 floats, u8 codec,
//              u8 is_counted, u8 zeros[6], u32 words[]
//
// Thread-safe: no state.
#include "wire/exchange_messages.h"

#include <algorithm>

#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kExchangeHeadBytes = 64;
constexpr std::size_t kExchangedHeadBytes = 40;

std::size_t exchange_payload(std::size_t count, const ExchangeRowCodec& codec) {
  return kExchangeHeadBytes + count * (sizeof(Key) + codec.words() * sizeof(std::uint32_t));
}

std::size_t exchanged_payload(std::size_t count, const ExchangeRowCodec& codec) {
  return kExchangedHeadBytes + count * codec.words() * sizeof(std::uint32_t);
}

// Writes all but the arrays.
Exchange::Room write_head(PayloadWriter& payload, const Exchange& head, std::size_t count) {
  payload.write_u64(head.request);
  payload.write_u64(head.round);
  payload.write_u64(head.samples);
  payload.write_u64(head.life);
  payload.write_id(head.table);
  payload.write_u32(head.group);
  payload.write_u32(head.codec.floats);
  payload.write_u32(head.codec.kept);
  payload.write_count(count);
  payload.write_enum(head.mode);
  payload.write_enum(head.codec.codec);
  payload.write_enum(head.reply);
  payload.write_u8(head.is_whole ? 1 : 0);
  payload.write_u8(head.keeps_shadow ? 1 : 0);
  payload.write_zeros(7);
  const auto keys = payload.take_array<Key>(count);
  const auto words = payload.take_array<std::uint32_t>(count * head.codec.words());
  payload.finish();
  return {keys, words};
}

std::span<std::uint32_t> write_head(PayloadWriter& payload, const Exchanged& head) {
  payload.write_u64(head.request);
  payload.write_u64(head.next_round);
  payload.write_u32(head.count);
  payload.write_u32(head.live);
  payload.write_f32(head.alpha);
  payload.write_u32(head.codec.floats);
  payload.write_enum(head.codec.codec);
  payload.write_u8(head.is_counted ? 1 : 0);
  payload.write_zeros(6);
  const auto words = payload.take_array<std::uint32_t>(head.count * head.codec.words());
  payload.finish();
  return words;
}

}  // namespace

std::size_t Exchange::part_bytes(std::size_t count, const ExchangeRowCodec& codec) {
  return part_bytes_for(exchange_payload(count, codec));
}

Exchange::Room Exchange::begin(FrameWriter& writer, const Exchange& head, std::size_t count) {
  PayloadWriter payload(writer, kType, exchange_payload(count, head.codec));
  return write_head(payload, head, count);
}

void Exchange::append_to(FrameWriter& writer) const {
  const Room room = begin(writer, *this, keys.size());
  std::copy(keys.begin(), keys.end(), room.keys.begin());
  std::copy(words.begin(), words.end(), room.words.begin());
}

Result<Exchange> Exchange::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Exchange exchange{.request = reader.read_u64(),
                    .round = reader.read_u64(),
                    .samples = reader.read_u64(),
                    .life = reader.read_u64(),
                    .table = reader.read_id<TableId>(),
                    .group = reader.read_u32()};
  ExchangeRowCodec& codec = exchange.codec;
  codec.floats = reader.read_at_least_1("floats");
  codec.kept = reader.read_u32();
  const std::uint32_t count = reader.read_u32();
  exchange.mode = reader.read_enum("mode", ExchangeMode::kSync);
  codec.codec = reader.read_enum("codec", ExchangeCodec::kTopK);
  exchange.reply = reader.read_enum("reply", ExchangeCodec::kInt8);
  exchange.is_whole = reader.read_bool("is_whole");
  exchange.keeps_shadow = reader.read_bool("keeps_shadow");
  reader.read_zeros(7);
  const bool is_some = codec.codec == ExchangeCodec::kTopK;
  if (is_some ? codec.kept == 0 || codec.kept > codec.floats : codec.kept != 0) {
    reader.refuse("kept", "is not between 1 and floats");
  }
  exchange.keys = reader.read_array<Key>("keys", count);
  // Not `count`: the product must not overflow, and there are no more keys than bytes.
  exchange.words = reader.read_array<std::uint32_t>("words", exchange.keys.size() * codec.words());
  GODWIT_TRY(reader.finish());
  return exchange;
}

std::size_t Exchanged::part_bytes(std::size_t count, const ExchangeRowCodec& codec) {
  return part_bytes_for(exchanged_payload(count, codec));
}

std::span<std::uint32_t> Exchanged::begin(FrameWriter& writer, const Exchanged& head) {
  PayloadWriter payload(writer, kType, exchanged_payload(head.count, head.codec));
  return write_head(payload, head);
}

void Exchanged::append_to(FrameWriter& writer) const {
  const std::span<std::uint32_t> room = begin(writer, *this);
  std::copy(words.begin(), words.end(), room.begin());
}

Result<Exchanged> Exchanged::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  Exchanged exchanged{.request = reader.read_u64(),
                      .next_round = reader.read_u64(),
                      .count = reader.read_u32(),
                      .live = reader.read_u32(),
                      .alpha = reader.read_f32()};
  exchanged.codec.floats = reader.read_at_least_1("floats");
  exchanged.codec.codec = reader.read_enum("codec", ExchangeCodec::kInt8);
  exchanged.is_counted = reader.read_bool("is_counted");
  reader.read_zeros(6);
  exchanged.words = reader.read_array<std::uint32_t>(
      "words", std::uint64_t{exchanged.count} * exchanged.codec.words());
  GODWIT_TRY(reader.finish());
  return exchanged;
}

}  // namespace godwit
