// train/exporters_test.cc: the bytes of each format, by hand.
#include "train/exporters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "base/memory_disk.h"
#include "base/parse_number.h"
#include "base/prng.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

VectorTable small_table() {
  return {.name = "t",
          .columns = {"f0", "f1"},
          .rows = 3,
          .values = {1, -0.5F, 0.1F, 1e-20F, 3, 4},
          .names = {"a b", "say \"x\", y", "c\td"}};
}

std::string text_of(Disk& disk, const std::string& path) {
  const auto bytes = disk.read(path).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string bytes_of(std::initializer_list<float> numbers) {
  std::string bytes;
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(bits >> (8 * i));
  }
  return bytes;
}

TEST(Exporters, CsvQuotesWhatNeedsIt) {
  MemoryDisk disk;
  EXPECT_THAT(export_table(disk, "out", small_table(), "csv").value(), ElementsAre("out/t.csv"));
  EXPECT_EQ(text_of(disk, "out/t.csv"),
            "name,f0,f1\na b,1,-0.5\n\"say \"\"x\"\", y\",0.1,1e-20\nc\td,3,4\n");
}

TEST(Exporters, Word2vecNamesHaveNoBlanks) {
  MemoryDisk disk;
  ASSERT_TRUE(export_table(disk, "out", small_table(), "w2v-text").ok());
  EXPECT_EQ(text_of(disk, "out/t.txt"), "3 2\na_b 1 -0.5\nsay_\"x\",_y 0.1 1e-20\nc_d 3 4\n");
  ASSERT_TRUE(export_table(disk, "out", small_table(), "w2v-bin").ok());
  EXPECT_EQ(text_of(disk, "out/t.bin"), "3 2\na_b " + bytes_of({1, -0.5F}) + "\nsay_\"x\",_y " +
                                            bytes_of({0.1F, 1e-20F}) + "\nc_d " + bytes_of({3, 4}) +
                                            "\n");
}

TEST(Exporters, NpyBeginsItsNumbersAtAMultipleOf64) {
  MemoryDisk disk;
  EXPECT_THAT(export_table(disk, "out", small_table(), "npy").value(),
              ElementsAre("out/t.npy", "out/t.names.txt"));
  const std::string text = text_of(disk, "out/t.npy");
  ASSERT_GT(text.size(), 10U);
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
  const std::size_t head =
      10 + static_cast<unsigned char>(text[8]) + 256U * static_cast<unsigned char>(text[9]);
  EXPECT_EQ(head % 64, 0U);
  EXPECT_EQ(text[head - 1], '\n');
  EXPECT_THAT(text.substr(10, head - 10),
              testing::StartsWith("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"));
  EXPECT_EQ(text.substr(head), bytes_of({1, -0.5F, 0.1F, 1e-20F, 3, 4}));
  EXPECT_EQ(text_of(disk, "out/t.names.txt"), "a b\nsay \"x\", y\nc\td\n");
}

TEST(Exporters, KeysOfUnboundedTablesAreKept) {
  VectorTable table = small_table();
  table.names.clear();
  table.keys = {7, 9, ~std::uint64_t{1}};
  MemoryDisk disk;
  EXPECT_THAT(export_table(disk, "out", table, "npy").value(),
              ElementsAre("out/t.npy", "out/t.keys.npy"));
  const std::string keys = text_of(disk, "out/t.keys.npy");
  EXPECT_THAT(keys, HasSubstr("'<u8', 'fortran_order': False, 'shape': (3,), }"));
  std::uint64_t last = 0;
  std::memcpy(&last, keys.data() + keys.size() - 8, 8);
  EXPECT_EQ(last, ~std::uint64_t{1});
  ASSERT_TRUE(export_table(disk, "out", table, "csv").ok());
  EXPECT_THAT(text_of(disk, "out/t.csv"), HasSubstr("key,f0,f1\n7,1,-0.5\n"));
}

TEST(Exporters, SafetensorsSaysWhereItsNumbersAre) {
  VectorTable table = small_table();
  table.keys = {7, 9, 11};
  MemoryDisk disk;
  ASSERT_TRUE(export_table(disk, "out", table, "safetensors").ok());
  const std::string text = text_of(disk, "out/t.safetensors");
  std::uint64_t head = 0;
  std::memcpy(&head, text.data(), 8);
  EXPECT_EQ(head % 8, 0U);
  EXPECT_THAT(text.substr(8, head),
              testing::StartsWith(R"({"t.keys":{"dtype":"U64","shape":[3],"data_offsets":[0,24]},)"
                                  R"("t":{"dtype":"F32","shape":[3,2],"data_offsets":[24,48]}})"));
  EXPECT_EQ(text.substr(8 + head + 24), bytes_of({1, -0.5F, 0.1F, 1e-20F, 3, 4}));
}

TEST(Exporters, TheProjectorGetsTwoFilesOfEqualLength) {
  MemoryDisk disk;
  EXPECT_THAT(export_table(disk, "out", small_table(), "tb-projector").value(),
              ElementsAre("out/t.vectors.tsv", "out/t.metadata.tsv"));
  EXPECT_EQ(text_of(disk, "out/t.vectors.tsv"), "1\t-0.5\n0.1\t1e-20\n3\t4\n");
  EXPECT_EQ(text_of(disk, "out/t.metadata.tsv"), "a b\nsay \"x\", y\nc d\n");
}

TEST(Exporters, NumbersInTextComeBackBitForBit) {
  Prng prng(3);
  VectorTable table{.name = "t", .columns = {"x"}};
  while (table.rows < 20'000) {
    const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(prng.next()));
    if (!(number - number == 0)) continue;  // not finite
    table.values.push_back(number);
    ++table.rows;
  }
  MemoryDisk disk;
  ASSERT_TRUE(export_table(disk, "out", table, "tb-projector").ok());
  const std::string text = text_of(disk, "out/t.vectors.tsv");
  std::size_t begin = 0;
  for (const float number : table.values) {
    const std::size_t end = text.find('\n', begin);
    const auto found = parse_number<float>(std::string_view(text).substr(begin, end - begin));
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(std::bit_cast<std::uint32_t>(*found), std::bit_cast<std::uint32_t>(number));
    begin = end + 1;
  }
}

TEST(Exporters, AFullDiskIsAnErrorAndLeavesWhatWasThere) {
  for (const std::string& format : export_formats()) {
    MemoryDisk disk;
    VectorTable table = small_table();
    const auto paths = export_table(disk, "out", table, format).value();
    const std::string before = text_of(disk, paths[0]);
    table.values[0] = 77;
    disk.set_free_space(10);
    const auto failed = export_table(disk, "out", table, format);
    ASSERT_FALSE(failed.ok()) << format;
    EXPECT_EQ(failed.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(text_of(disk, paths[0]), before) << format;
    EXPECT_EQ(disk.list("out").value().size(), paths.size()) << format;
  }
}

TEST(Exporters, AFormatThatThereIsNotIsAnsweredWithAll) {
  MemoryDisk disk;
  const auto failed = export_table(disk, "out", small_table(), "word2vec");
  EXPECT_EQ(failed.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(failed.error().message(), HasSubstr("w2v-bin, safetensors"));
}

}  // namespace
}  // namespace godwit
