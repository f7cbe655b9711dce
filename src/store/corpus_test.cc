// store/corpus_test.cc: replays the fuzzer's corpus through the fuzzer's own function.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/memory_disk.h"
#include "store/checked_file.h"
#include "store/manifest.h"
#include "store/row_shard.h"

// Of fuzz/snapshot_fuzz.cc.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace godwit {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void replay(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

TEST(SnapshotCorpus, DoesNoHarmWholeOrCutOffOrDamaged) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GODWIT_SNAPSHOT_CORPUS)) {
    ++files;
    const std::string bytes = read(entry.path());
    replay(bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      replay(bytes.substr(0, i));
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      replay(bad);
    }
  }
  EXPECT_GE(files, 5u);
}

// The seeds are packed by another program: both understand the format alike.
TEST(SnapshotCorpus, SeedsAreUnderstood) {
  const std::filesystem::path folder(GODWIT_SNAPSHOT_CORPUS);
  MemoryDisk disk;
  write_file(disk, "f", read(folder / "seed_state")).value();
  EXPECT_EQ(ShardReader::open(disk, "f").value().shape(), (ShardShape{2, 2, 5}));
  const std::string body = read(folder / "seed_manifest");
  const auto manifest =
      parse_manifest(body + fmt::format("\"xxh3\": \"{:016x}\"\n}}\n", xxh3_of(body)));
  ASSERT_TRUE(manifest.ok()) << manifest.error().message();
  EXPECT_EQ(manifest->tables[0].spec.init, Init::normal(0.5F, 7));
  EXPECT_EQ(to_string(manifest->tables[0].spec.rule), "adagrad:lr=0.1,eps=1e-10");
  EXPECT_EQ(manifest->tables[0].shards[1].sum.xxh3, 255u);
}

}  // namespace
}  // namespace godwit
