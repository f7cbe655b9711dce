// data/corpus_replay_test.cc: replays the fuzzer's corpus through the fuzzer's own function.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// Of fuzz/data_fuzz.cc.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace godwit {
namespace {

TEST(DataCorpus, DoesNoHarm) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GODWIT_DATA_CORPUS)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        0);
    ++count;
  }
  EXPECT_GE(count, 12U);
}

}  // namespace
}  // namespace godwit
