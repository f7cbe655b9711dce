// store/row_shard_test.cc: rows in files, and what is not such a file.
#include "store/row_shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/memory_disk.h"
#include "base/prng.h"
#include "base/try.h"

namespace godwit {
namespace {

using testing::HasSubstr;

float number_of(Key key, std::size_t i) {
  return static_cast<float>(mix64(key, i) % 100'000);
}

FileSum write(Disk& disk, const ShardShape& shape, const std::vector<Key>& keys) {
  return write_shard(disk, "f", shape, keys,
                     [&](std::span<const Key> some, ShardPart part, std::span<float> floats) {
                       const bool is_state = part == ShardPart::kState;
                       const std::size_t n = is_state ? shape.state_length : shape.row_length;
                       for (std::size_t i = 0; i < floats.size(); ++i) {
                         floats[i] = number_of(some[i / n], i % n + (is_state ? 1000 : 0));
                       }
                     })
      .value();
}

TEST(RowShard, RoundTripsInManyChunks) {
  for (const ShardShape& shape : {ShardShape{0, 3, 0}, ShardShape{1, 1, 1},
                                  ShardShape{5000, 700, 1401}, ShardShape{9000, 300, 0}}) {
    MemoryDisk disk;
    std::vector<Key> keys;
    for (Key i = 0; i < shape.rows; ++i) keys.push_back(i * 0x10000000001U);
    const FileSum sum = write(disk, shape, keys);
    check_file(disk, "f", sum).value();
    const ShardReader reader = ShardReader::open(disk, "f").value();
    EXPECT_EQ(reader.shape(), shape);
    std::size_t next = 0;
    bool is_right = true;
    reader
        .for_each([&](std::span<const Key> some, std::span<const float> values,
                      std::span<const float> state) -> Result<> {
          for (std::size_t row = 0; row < some.size(); ++row, ++next) {
            is_right = is_right && some[row] == keys[next];
            for (std::size_t i = 0; i < shape.row_length; ++i) {
              is_right = is_right && values[row * shape.row_length + i] == number_of(some[row], i);
            }
            for (std::size_t i = 0; i < shape.state_length; ++i) {
              is_right =
                  is_right && state[row * shape.state_length + i] == number_of(some[row], 1000 + i);
            }
          }
          return {};
        })
        .value();
    EXPECT_TRUE(is_right);
    EXPECT_EQ(next, shape.rows);
  }
}

// What a program in another language would look for.
TEST(RowShard, IsSafetensors) {
  MemoryDisk disk;
  write(disk, {2, 1, 0}, {7, 9});
  const auto bytes = disk.read("f").value();
  const auto length = static_cast<std::size_t>(ByteReader(bytes).read_u64());
  const std::string header(reinterpret_cast<const char*>(bytes.data()) + 8, length);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_THAT(header, HasSubstr(R"("keys":{"dtype":"U64","shape":[2],"data_offsets":[0,16]})"));
  EXPECT_THAT(header,
              HasSubstr(R"("values":{"dtype":"F32","shape":[2,1],"data_offsets":[16,24]})"));
  EXPECT_EQ(bytes.size(), 8 + length + 24);
}

Result<> read_all(const std::string& header, const std::string& data) {
  MemoryDisk disk;
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  writer.write_u64(header.size());
  writer.write_bytes(std::as_bytes(std::span(header)));
  writer.write_bytes(std::as_bytes(std::span(data)));
  disk.open_write("f").value()->append(bytes).value();
  GODWIT_TRY_ASSIGN(const ShardReader reader, ShardReader::open(disk, "f"));
  return reader.for_each([](auto, auto, auto) -> Result<> { return {}; });
}

TEST(RowShard, WhatIsMalformedIsRefused) {
  const std::string keys = R"("keys":{"dtype":"U64","shape":[2],"data_offsets":[0,16]})";
  const std::string values = R"("values":{"dtype":"F32","shape":[2,1],"data_offsets":[16,24]})";
  const std::string rising = std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16) + "abcdefgh";
  EXPECT_TRUE(read_all("{" + keys + "," + values + "}", rising).ok());
  const std::string falling = std::string("\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16) + "abcdefgh";
  const std::vector<std::pair<std::string, std::string>> bad{
      {"{" + keys + "," + values + "}", falling},
      {"{" + keys + "," + values + "}", rising + "x"},
      {"{" + keys + "," + values + "}", "abc"},
      {"{" + keys + "}", rising},
      {"[]", rising},
      {"{" + keys + "," + values + R"(,"more":{}})", rising},
      {R"({"keys":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)" + values + "}", rising},
      {R"({"keys":{"dtype":"U64","shape":[3],"data_offsets":[0,16]},)" + values + "}", rising},
      {"{" + keys + R"(,"values":{"dtype":"F32","shape":[2,0],"data_offsets":[16,24]}})", rising},
      {"{" + keys +
           R"(,"values":{"dtype":"F32","shape":[2,4611686018427387905],"data_offsets":[16,24]}})",
       rising},
      {"{" + keys + R"(,"values":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]}})", rising},
      {"{" + keys + R"(,"values":{"dtype":"F32","shape":[2,1],"data_offsets":[16,-1]}})", rising}};
  for (const auto& [header, data] : bad) {
    const auto read = read_all(header, data);
    ASSERT_FALSE(read.ok()) << header;
    EXPECT_EQ(read.error().code(), ErrorCode::kCorruption) << header;
    EXPECT_THAT(read.error().message(), HasSubstr("'f'"));
  }
}

}  // namespace
}  // namespace godwit
