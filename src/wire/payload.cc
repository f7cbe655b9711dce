// wire/payload.cc: the fields that can be wrong, and how that is told.
// Not thread-safe.
#include "wire/payload.h"

#include <limits>

#include "base/errors.h"

namespace godwit {

std::string_view shortened(std::string_view text) {
  if (text.size() <= kTextBytesMax) return text;
  constexpr std::size_t kLetterBytesMax = 4;
  std::size_t size = kTextBytesMax;
  const auto continues = [&](std::size_t i) { return (text[i] & 0xc0) == 0x80; };
  while (size > kTextBytesMax - kLetterBytesMax && continues(size)) --size;
  if (continues(size)) size = kTextBytesMax;  // not UTF-8
  return text.substr(0, size);
}

void PayloadWriter::write_count(std::uint64_t count) {
  GODWIT_CHECK_LE(count, std::numeric_limits<std::uint32_t>::max());
  write_u32(static_cast<std::uint32_t>(count));
}

void PayloadWriter::write_string(std::string_view text, std::size_t max) {
  GODWIT_CHECK_LE(text.size(), max);
  write_u16(static_cast<std::uint16_t>(text.size()));
  write_array(std::span<const char>(text));
}

void PayloadWriter::write_zeros(std::size_t count) {
  std::memset(take(count).data(), 0, count);
}

PayloadReader::PayloadReader(const PartView& part, PartType type)
    : type_(type), reader_(part.payload) {
  GODWIT_CHECK_EQ(part.type, type);
}

std::uint32_t PayloadReader::read_at_least_1(std::string_view field) {
  const std::uint32_t value = reader_.read_u32();
  if (reader_.ok() && value == 0) refuse_value(field, value);
  return value;
}

std::string_view PayloadReader::read_string(std::string_view field, std::size_t max) {
  const std::size_t size = reader_.read_u16();
  if (size > max) {
    problem_ =
        fmt::format("{} announced to have {} bytes, at most {} are allowed", field, size, max);
    reader_.fail();
    return {};
  }
  const auto bytes = read_array_bytes(field, size, 1, 1);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void PayloadReader::read_zeros(std::size_t count) {
  for (const std::byte byte : reader_.read_bytes(count)) {
    if (byte != std::byte{0}) refuse("a zero byte", "is not zero");
  }
}

void PayloadReader::refuse(std::string_view field, std::string_view problem) {
  if (reader_.ok()) problem_ = fmt::format("{} {}", field, problem);
  reader_.fail();
}

Result<> PayloadReader::finish() const {
  if (!problem_.empty()) return corruption("{}: {}", to_string(type_), problem_);
  if (!reader_.ok()) return corruption("{}: too short", to_string(type_));
  if (reader_.remaining() != 0) {
    return corruption("{}: {} bytes left over", to_string(type_), reader_.remaining());
  }
  return {};
}

std::uint8_t PayloadReader::read_up_to(std::string_view field, std::uint8_t last) {
  const std::uint8_t value = reader_.read_u8();
  if (value <= last) return value;
  refuse_value(field, value);
  return 0;
}

std::span<const std::byte> PayloadReader::read_array_bytes(std::string_view field,
                                                           std::uint64_t count,
                                                           std::size_t element_bytes,
                                                           std::size_t alignment) {
  if (count == 0 || !reader_.ok()) return {};
  if (count > reader_.remaining() / element_bytes) {
    problem_ = fmt::format("{} announced to have {} elements of {} bytes, but {} bytes are left",
                           field, count, element_bytes, reader_.remaining());
    reader_.fail();
    return {};
  }
  const auto bytes = reader_.read_bytes(static_cast<std::size_t>(count) * element_bytes);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
    refuse(field, "is not aligned");
    return {};
  }
  return bytes;
}

void PayloadReader::refuse_value(std::string_view field, std::uint64_t value) {
  if (reader_.ok()) problem_ = fmt::format("{} is {}, which it cannot be", field, value);
  reader_.fail();
}

}  // namespace godwit
