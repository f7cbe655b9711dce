// base/bytes.cc: spans, strings and counts; single numbers are inline.
// Not thread-safe.
#include "base/bytes.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {

void ByteWriter::append(const void* data, std::size_t count) {
  if (count == 0) return;
  if (out_ != nullptr) {
    const auto* first = static_cast<const std::byte*>(data);
    out_->insert(out_->end(), first, first + count);
  } else {
    if (!ok_ || count > buffer_.size() - size_) {
      ok_ = false;
      return;
    }
    std::memcpy(buffer_.data() + size_, data, count);
  }
  size_ += count;
}

template <class T>
void ByteWriter::write_numbers(std::span<const T> values) {
  if constexpr (std::endian::native == std::endian::little) {
    append(values.data(), values.size_bytes());
  } else {
    for (const T value : values) write_number(value);
  }
}

void ByteWriter::write_bytes(std::span<const std::byte> bytes) {
  append(bytes.data(), bytes.size());
}
void ByteWriter::write_u64s(std::span<const std::uint64_t> values) {
  write_numbers(values);
}
void ByteWriter::write_f32s(std::span<const float> values) {
  write_numbers(values);
}

void ByteWriter::write_count(std::size_t count) {
  GODWIT_CHECK_LE(count, std::numeric_limits<std::uint32_t>::max());
  write_u32(static_cast<std::uint32_t>(count));
}

void ByteWriter::write_string(std::string_view text) {
  write_count(text.size());
  append(text.data(), text.size());
}

std::span<const std::byte> ByteReader::read_bytes(std::size_t count) {
  if (count > bytes_.size()) {
    fail();
    return {};
  }
  const auto result = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return result;
}

template <class T>
void ByteReader::read_numbers(std::span<T> out) {
  if (out.size() > bytes_.size() / sizeof(T)) {
    fail();
    std::ranges::fill(out, T{});
    return;
  }
  if constexpr (std::endian::native == std::endian::little) {
    take(out.data(), out.size_bytes());
  } else {
    for (T& value : out) value = read_number<T>();
  }
}

void ByteReader::read_u64s(std::span<std::uint64_t> out) {
  read_numbers(out);
}
void ByteReader::read_f32s(std::span<float> out) {
  read_numbers(out);
}

std::size_t ByteReader::read_count(std::size_t max, std::size_t element_size) {
  GODWIT_CHECK_GT(element_size, 0U);
  const std::size_t count = read_u32();
  if (count > max || count > bytes_.size() / element_size) {
    fail();
    return 0;
  }
  return count;
}

std::string_view ByteReader::read_string(std::size_t max) {
  const auto bytes = read_bytes(read_count(max, 1));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ByteReader::fail() {
  ok_ = false;
  bytes_ = {};
}

Result<> ByteReader::finish(std::string_view what) const {
  if (!ok_) return corruption("{}: too short, or a count or a value in it is not possible", what);
  if (!bytes_.empty()) return corruption("{}: {} bytes left over", what, bytes_.size());
  return {};
}

}  // namespace godwit
