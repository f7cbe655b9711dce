// base/bytes_test.cc: round trips, an oracle for the layout, and hostile input.
#include "base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "base/prng.h"

namespace godwit {
namespace {

using Bytes = std::vector<std::byte>;

// The oracle: the low byte first, written the slow way.
void put(Bytes& out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) out.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xffU));
}

TEST(ByteWriter, WritesLittleEndian) {
  Bytes out;
  ByteWriter writer(out);
  writer.write_u8(0x01);
  writer.write_u16(0x0302);
  writer.write_u32(0x07060504);
  writer.write_u64(0x0f0e0d0c0b0a0908);
  writer.write_i64(-2);
  writer.write_f32(1.0F);
  writer.write_f64(-2.0);
  writer.write_string("hi");
  Bytes expected;
  for (int i = 1; i <= 15; ++i) put(expected, static_cast<std::uint64_t>(i), 1);
  put(expected, static_cast<std::uint64_t>(-2), 8);
  put(expected, 0x3f800000, 4);
  put(expected, 0xc000000000000000, 8);
  put(expected, 2, 4);
  put(expected, 'h', 1);
  put(expected, 'i', 1);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(writer.size(), expected.size());
}

TEST(ByteWriter, KeepsWhatTheVectorHeld) {
  Bytes out = {std::byte{9}};
  ByteWriter writer(out);
  writer.write_u8(1);
  EXPECT_EQ(out, (Bytes{std::byte{9}, std::byte{1}}));
  EXPECT_EQ(writer.size(), 1U);
}

TEST(ByteWriter, DropsWhatDoesNotFitIntoABuffer) {
  std::array<std::byte, 7> buffer{};
  buffer.fill(std::byte{0xee});
  ByteWriter writer{std::span<std::byte>(buffer).first(6)};
  writer.write_u32(1);
  EXPECT_TRUE(writer.ok());
  writer.write_u32(2);
  EXPECT_FALSE(writer.ok());
  writer.write_u8(3);  // would fit, but comes after a loss
  EXPECT_EQ(writer.size(), 4U);
  EXPECT_EQ(buffer[4], std::byte{0xee});
  EXPECT_EQ(buffer[6], std::byte{0xee});
}

TEST(ByteWriter, FillsABufferToItsLastByte) {
  std::array<std::byte, 8> buffer{};
  ByteWriter writer{std::span<std::byte>(buffer)};
  writer.write_u64(std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(writer.ok());
  writer.write_bytes({});
  EXPECT_TRUE(writer.ok());
  EXPECT_EQ(buffer[7], std::byte{0xff});
}

TEST(Bytes, ReversingIsWhatABigEndianHostDoes) {
  EXPECT_EQ(internal::reverse_bytes<std::uint8_t>(0x12), 0x12);
  EXPECT_EQ(internal::reverse_bytes<std::uint16_t>(0x1234), 0x3412);
  EXPECT_EQ(internal::reverse_bytes<std::uint32_t>(0x12345678), 0x78563412U);
  EXPECT_EQ(internal::reverse_bytes<std::uint64_t>(0x0102030405060708), 0x0807060504030201U);
}

// One random message: what was written, to be compared with what is read.
struct Field {
  int kind = 0;
  std::uint64_t number = 0;
  std::string text;
  std::vector<float> floats;
  std::vector<std::uint64_t> numbers;
};

Field random_field(Prng& prng) {
  Field field;
  field.kind = static_cast<int>(prng.below(8));
  field.number = prng.next();
  for (std::uint64_t n = prng.below(20); n > 0; --n) {
    field.text.push_back(static_cast<char>(prng.below(256)));
    field.floats.push_back(static_cast<float>(prng.normal()));
    field.numbers.push_back(prng.next());
  }
  return field;
}

void write_both(const Field& field, ByteWriter& writer, Bytes& oracle) {
  switch (field.kind) {
    case 0:
      writer.write_u8(static_cast<std::uint8_t>(field.number));
      return put(oracle, field.number, 1);
    case 1:
      writer.write_u16(static_cast<std::uint16_t>(field.number));
      return put(oracle, field.number, 2);
    case 2:
      writer.write_u32(static_cast<std::uint32_t>(field.number));
      return put(oracle, field.number, 4);
    case 3:
      writer.write_u64(field.number);
      return put(oracle, field.number, 8);
    case 4:
      writer.write_i64(static_cast<std::int64_t>(field.number));
      return put(oracle, field.number, 8);
    case 5:
      writer.write_string(field.text);
      put(oracle, field.text.size(), 4);
      for (const char c : field.text) put(oracle, static_cast<unsigned char>(c), 1);
      return;
    case 6:
      writer.write_count(field.floats.size());
      writer.write_f32s(field.floats);
      put(oracle, field.floats.size(), 4);
      for (const float f : field.floats) put(oracle, std::bit_cast<std::uint32_t>(f), 4);
      return;
    default:
      writer.write_count(field.numbers.size());
      writer.write_u64s(field.numbers);
      put(oracle, field.numbers.size(), 4);
      for (const std::uint64_t n : field.numbers) put(oracle, n, 8);
  }
}

// True iff the next field reads as `field`.
bool reads_as(const Field& field, ByteReader& reader) {
  switch (field.kind) {
    case 0:
      return reader.read_u8() == static_cast<std::uint8_t>(field.number);
    case 1:
      return reader.read_u16() == static_cast<std::uint16_t>(field.number);
    case 2:
      return reader.read_u32() == static_cast<std::uint32_t>(field.number);
    case 3:
      return reader.read_u64() == field.number;
    case 4:
      return reader.read_i64() == static_cast<std::int64_t>(field.number);
    case 5:
      return reader.read_string(100) == field.text;
    case 6: {
      std::vector<float> floats(reader.read_count(100, 4));
      reader.read_f32s(floats);
      return floats == field.floats;
    }
    default: {
      std::vector<std::uint64_t> numbers(reader.read_count(100, 8));
      reader.read_u64s(numbers);
      return numbers == field.numbers;
    }
  }
}

TEST(Bytes, RandomMessagesMatchTheOracleAndRoundTrip) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Prng prng(seed);
    std::vector<Field> fields(prng.below(12));
    for (Field& field : fields) field = random_field(prng);
    Bytes out;
    Bytes oracle;
    ByteWriter writer(out);
    for (const Field& field : fields) write_both(field, writer, oracle);
    ASSERT_EQ(out, oracle) << "seed " << seed;
    ByteReader reader(out);
    for (const Field& field : fields) ASSERT_TRUE(reads_as(field, reader)) << "seed " << seed;
    ASSERT_TRUE(reader.finish("message").ok()) << "seed " << seed;
  }
}

TEST(ByteReader, EveryTruncationIsRefusedWithoutReadingOutside) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng prng(seed);
    std::vector<Field> fields(1 + prng.below(5));
    for (Field& field : fields) field = random_field(prng);
    Bytes out;
    Bytes oracle;
    ByteWriter writer(out);
    for (const Field& field : fields) write_both(field, writer, oracle);
    for (std::size_t size = 0; size < out.size(); ++size) {
      // A copy of exactly this size: the address sanitizer sees one byte too many.
      const Bytes cut(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
      ByteReader reader(cut);
      for (const Field& field : fields) (void)reads_as(field, reader);
      ASSERT_FALSE(reader.ok()) << "seed " << seed << " size " << size;
      ASSERT_EQ(reader.finish("message").error().code(), ErrorCode::kCorruption);
    }
  }
}

TEST(ByteReader, FailureSticksAndReadsZeros) {
  const Bytes bytes(6, std::byte{0xff});
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_u64(), 0U);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.read_u8(), 0U);
  EXPECT_EQ(reader.remaining(), 0U);
  EXPECT_TRUE(reader.read_bytes(1).empty());
  std::array<float, 2> floats = {1, 2};
  reader.read_f32s(floats);
  EXPECT_EQ(floats, (std::array<float, 2>{0, 0}));
}

TEST(ByteReader, RefusesCountsThatCannotBeThere) {
  Bytes out;
  ByteWriter writer(out);
  writer.write_count(3);
  for (int i = 0; i < 3; ++i) writer.write_u64(7);
  const auto count = [&](std::size_t max, std::size_t element_size) {
    ByteReader reader(out);
    const std::size_t n = reader.read_count(max, element_size);
    EXPECT_EQ(reader.ok(), n == 3);
    return n;
  };
  EXPECT_EQ(count(3, 8), 3U);
  EXPECT_EQ(count(2, 8), 0U);
  EXPECT_EQ(count(3, 9), 0U);
  EXPECT_EQ(count(3, std::numeric_limits<std::size_t>::max()), 0U);
}

TEST(ByteReader, RefusesAHugeCountWhateverTheLimit) {
  const Bytes bytes(16, std::byte{0xff});
  ByteReader reader(bytes);
  EXPECT_EQ(reader.read_count(std::numeric_limits<std::size_t>::max(), 1), 0U);
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, RefusesLeftOverBytesAndFailuresOfTheDecoder) {
  const Bytes bytes(3);
  ByteReader reader(bytes);
  reader.read_u8();
  EXPECT_EQ(reader.finish("hello").error().message(), "hello: 2 bytes left over");
  reader.fail();
  EXPECT_EQ(reader.read_u8(), 0U);
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, StringsAreBoundedByTheirMaximum) {
  Bytes out;
  ByteWriter(out).write_string("abcdef");
  EXPECT_EQ(ByteReader(out).read_string(6), "abcdef");
  ByteReader reader(out);
  EXPECT_EQ(reader.read_string(5), "");
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace godwit
