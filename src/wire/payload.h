// wire/payload.h: writing and reading the fields of one message; the ground under every codec here.
// Not thread-safe; owned by one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"
#include "base/check.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// Of the codes that travel; they must keep their numbers.
inline constexpr ErrorCode kErrorCodeLast = ErrorCode::kCorruption;
static_assert(static_cast<int>(ErrorCode::kInvalidArgument) == 0 &&
              static_cast<int>(ErrorCode::kNotFound) == 1 &&
              static_cast<int>(ErrorCode::kOutOfMemory) == 2 &&
              static_cast<int>(ErrorCode::kUnavailable) == 3 &&
              static_cast<int>(ErrorCode::kTimeout) == 4 &&
              static_cast<int>(ErrorCode::kAborted) == 5 &&
              static_cast<int>(ErrorCode::kCorruption) == 6);

// `text` as it travels: at most kTextBytesMax bytes, cut between two letters of UTF-8.
std::string_view shortened(std::string_view text);

// Fills the payload of a new part. REQUIRES throughout: what is written fits.
class PayloadWriter {
 public:
  PayloadWriter(FrameWriter& writer, PartType type, std::size_t payload_bytes)
      : left_(writer.add_part(type, payload_bytes)) {}

  void write_u8(std::uint8_t value) { write_number(value); }
  void write_u16(std::uint16_t value) { write_number(value); }
  void write_u32(std::uint32_t value) { write_number(value); }
  void write_u64(std::uint64_t value) { write_number(value); }
  void write_i64(std::int64_t value) { write_number(value); }
  void write_f32(float value) { write_number(value); }
  // One byte. REQUIRES: the enum's value is below 256.
  template <class Enum>
  void write_enum(Enum value) {
    write_u8(static_cast<std::uint8_t>(value));
  }
  // 32 bits. REQUIRES: 0 <= id < 2^32.
  template <class Tag>
  void write_id(StrongId<Tag> id) {
    GODWIT_CHECK_GE(id.value(), 0);
    write_count(static_cast<std::uint64_t>(id.value()));
  }
  // 32 bits. REQUIRES: count < 2^32.
  void write_count(std::uint64_t count);
  // A 16-bit length and the bytes. REQUIRES: it has at most `max` bytes.
  void write_string(std::string_view text, std::size_t max);
  void write_zeros(std::size_t count);

  template <class T>
  void write_array(std::span<const T> values) {
    const std::span<T> room = take_array<T>(values.size());
    if (!values.empty()) std::memcpy(room.data(), values.data(), values.size_bytes());
  }
  // Room for an array, not initialized. REQUIRES: the place is aligned for T.
  template <class T>
  std::span<T> take_array(std::size_t count) {
    GODWIT_CHECK_LE(count, left_.size() / sizeof(T));
    if (count == 0) return {};
    const auto room = take(count * sizeof(T));
    GODWIT_CHECK_EQ(reinterpret_cast<std::uintptr_t>(room.data()) % alignof(T), 0U);
    return {reinterpret_cast<T*>(room.data()), count};
  }

  // REQUIRES: the payload is full.
  void finish() const { GODWIT_CHECK_EQ(left_.size(), 0U); }

 private:
  template <class T>
  void write_number(T value) {
    std::memcpy(take(sizeof value).data(), &value, sizeof value);
  }
  std::span<std::byte> take(std::size_t count) {
    GODWIT_CHECK_LE(count, left_.size());
    const auto result = left_.first(count);
    left_ = left_.subspan(count);
    return result;
  }

  std::span<std::byte> left_;
};

// Reads a payload that may be hostile. After a field that is wrong all others read as zeros or
// empty; finish() tells about the first. Field names must outlive the reader.
class PayloadReader {
 public:
  // REQUIRES: part.type == type.
  PayloadReader(const PartView& part, PartType type);

  std::uint8_t read_u8() { return reader_.read_u8(); }
  std::uint32_t read_u32() { return reader_.read_u32(); }
  std::uint64_t read_u64() { return reader_.read_u64(); }
  std::int64_t read_i64() { return reader_.read_i64(); }
  float read_f32() { return reader_.read_f32(); }
  template <class Id>
  Id read_id() {
    return Id(static_cast<std::int64_t>(reader_.read_u32()));
  }
  bool read_bool(std::string_view field) { return read_up_to(field, 1) != 0; }
  // One of the values 0 to `last`.
  template <class Enum>
  Enum read_enum(std::string_view field, Enum last) {
    return static_cast<Enum>(read_up_to(field, static_cast<std::uint8_t>(last)));
  }
  std::uint32_t read_at_least_1(std::string_view field);
  std::string_view read_string(std::string_view field, std::size_t max);
  void read_zeros(std::size_t count);

  // A view of the next `count` elements: no copy, and no more than there are bytes.
  template <class T>
  std::span<const T> read_array(std::string_view field, std::uint64_t count) {
    const auto bytes = read_array_bytes(field, count, sizeof(T), alignof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  // For what only the decoder can see. `problem` must outlive the reader.
  void refuse(std::string_view field, std::string_view problem);

  // kCorruption naming the message, the first field that was wrong and its value; or that the
  // payload is too short or too long.
  Result<> finish() const;

 private:
  std::uint8_t read_up_to(std::string_view field, std::uint8_t last);
  std::span<const std::byte> read_array_bytes(std::string_view field, std::uint64_t count,
                                              std::size_t element_bytes, std::size_t alignment);
  void refuse_value(std::string_view field, std::uint64_t value);

  const PartType type_;
  ByteReader reader_;
  std::string problem_;  // empty: none so far but what reader_ knows
};

}  // namespace godwit
