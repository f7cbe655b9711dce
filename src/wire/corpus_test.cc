// wire/corpus_test.cc: replays the fuzzer's corpus through the fuzzer's own function.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "wire/any_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace godwit {
namespace {

// Calls `replay(name, bytes)` for every file.
template <class Replay>
std::size_t for_each_file(const Replay& replay) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GODWIT_WIRE_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    replay(entry.path().filename().string(), bytes);
    ++count;
  }
  return count;
}

TEST(WireCorpus, DoesNoHarm) {
  const std::size_t count = for_each_file([](const std::string& name, const std::string& bytes) {
    SCOPED_TRACE(name);
    EXPECT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
        0);
  });
  EXPECT_GE(count, 20U);
}

// The seeds are packed by another program, fuzz/make_wire_seeds.py: both understand the format
// alike.
TEST(WireCorpus, SeedsDecodeAndHoldEveryMessage) {
  std::set<PartType> seen;
  for_each_file([&](const std::string& name, const std::string& bytes) {
    if (!name.starts_with("seed_")) return;
    const auto frame = Frame::make(bytes.size());
    std::memcpy(frame->bytes().data(), bytes.data(), bytes.size());
    const auto view = open_frame(frame->bytes());
    ASSERT_TRUE(view.ok()) << name << ": " << view.error().message();
    for (const PartView part : *view) {
      const auto message = decode_any(part);
      ASSERT_TRUE(message.ok()) << name << ": " << message.error().message();
      seen.insert(part.type);
    }
  });
  EXPECT_EQ(seen.size(), std::variant_size_v<AnyMessage>);
}

}  // namespace
}  // namespace godwit
