// base/bytes.h: writing and reading little-endian bytes; the ground under every codec and file.
// Not thread-safe; a writer or reader is owned by one call.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "godwit/result.h"

namespace godwit {

namespace internal {

// Unsigned integer of the size of T.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, std::uint8_t,
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <std::unsigned_integral U>
constexpr U reverse_bytes(U value) {
  U result = 0;
  for (std::size_t i = 0; i < sizeof(U); ++i) {
    const auto byte = static_cast<U>((value >> (8 * i)) & 0xffU);
    result = static_cast<U>(result | static_cast<U>(byte << (8 * (sizeof(U) - 1 - i))));
  }
  return result;
}

// Between the host's order and little-endian; the same in both directions.
template <class T>
constexpr BitsOf<T> to_little(T value) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  if constexpr (std::endian::native == std::endian::little) {
    return bits;
  } else {
    return reverse_bytes(bits);
  }
}

}  // namespace internal

// Appends to a vector, or fills a buffer of fixed size from its start.
class ByteWriter {
 public:
  // Grows `out`, which must outlive the writer; what it holds already stays. Never fails.
  explicit ByteWriter(std::vector<std::byte>& out) : out_(&out) {}
  // A write that does not fit is dropped as a whole, as is everything after it; see ok().
  explicit ByteWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  void write_u8(std::uint8_t value) { write_number(value); }
  void write_u16(std::uint16_t value) { write_number(value); }
  void write_u32(std::uint32_t value) { write_number(value); }
  void write_u64(std::uint64_t value) { write_number(value); }
  void write_i64(std::int64_t value) { write_number(value); }
  void write_f32(float value) { write_number(value); }
  void write_f64(double value) { write_number(value); }

  // The elements only; the count is the caller's to write.
  void write_bytes(std::span<const std::byte> bytes);
  void write_u64s(std::span<const std::uint64_t> values);
  void write_f32s(std::span<const float> values);

  // What ByteReader::read_count reads: 32 bits. REQUIRES: count < 2^32.
  void write_count(std::size_t count);
  // A count, then the bytes. REQUIRES: text.size() < 2^32.
  void write_string(std::string_view text);

  // Bytes written by this writer.
  std::size_t size() const { return size_; }
  // False iff something did not fit.
  bool ok() const { return ok_; }

 private:
  template <class T>
  void write_number(T value) {
    const auto little = internal::to_little(value);
    append(&little, sizeof little);
  }
  template <class T>
  void write_numbers(std::span<const T> values);
  void append(const void* data, std::size_t count);

  std::vector<std::byte>* out_ = nullptr;  // null: buffer_ is meant
  std::span<std::byte> buffer_;
  std::size_t size_ = 0;
  bool ok_ = true;
};

// Reads bytes that may be hostile. A read beyond the end gives zeros (or an empty view) and turns
// ok() false for good, so that a decoder reads everything and checks once, with finish().
class ByteReader {
 public:
  // `bytes` must outlive the reader and the views it gives out.
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint8_t read_u8() { return read_number<std::uint8_t>(); }
  std::uint16_t read_u16() { return read_number<std::uint16_t>(); }
  std::uint32_t read_u32() { return read_number<std::uint32_t>(); }
  std::uint64_t read_u64() { return read_number<std::uint64_t>(); }
  std::int64_t read_i64() { return read_number<std::int64_t>(); }
  float read_f32() { return read_number<float>(); }
  double read_f64() { return read_number<double>(); }

  // A view of the next `count` bytes.
  std::span<const std::byte> read_bytes(std::size_t count);
  // Fill `out`; all of it is zero if there are too few bytes.
  void read_u64s(std::span<std::uint64_t> out);
  void read_f32s(std::span<float> out);

  // A 32-bit count of elements that follow. Fails, giving 0, if it is above `max` or if that many
  // elements of at least `element_size` bytes could not be in the bytes that are left; so whoever
  // allocates by this count allocates in proportion to what was really received.
  // REQUIRES: element_size > 0.
  std::size_t read_count(std::size_t max, std::size_t element_size);
  // A view of a string of at most `max` bytes.
  std::string_view read_string(std::size_t max);

  // For what only the decoder can see, like an unknown kind: the reads after it fail.
  void fail();

  std::size_t remaining() const { return bytes_.size(); }
  bool ok() const { return ok_; }

  // kCorruption, naming `what`, if a read failed or if bytes are left over.
  Result<> finish(std::string_view what) const;

 private:
  template <class T>
  T read_number() {
    internal::BitsOf<T> little{};
    take(&little, sizeof little);
    return std::bit_cast<T>(internal::to_little(little));
  }
  template <class T>
  void read_numbers(std::span<T> out);
  // Copies or, if there are too few bytes, fails and leaves `out` as it is.
  void take(void* out, std::size_t count) {
    if (count > bytes_.size()) [[unlikely]] {
      fail();
      return;
    }
    if (count != 0) std::memcpy(out, bytes_.data(), count);
    bytes_ = bytes_.subspan(count);
  }

  std::span<const std::byte> bytes_;  // what is left
  bool ok_ = true;
};

}  // namespace godwit
