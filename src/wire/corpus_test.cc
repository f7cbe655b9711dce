// wire/corpus_test.cc: replays the fuzzers' corpora through the fuzzers' own functions.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/prng.h"
#include "wire/any_message.h"

// Of fuzz/wire_fuzz.cc; and that of fuzz/value_codec_fuzz.cc, which CMake renames for this program.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int value_codec_fuzz(const std::uint8_t* data, std::size_t size);

namespace godwit {
namespace {

// Calls `replay(name, bytes)` for every file.
template <class Replay>
std::size_t for_each_file(const char* folder, const Replay& replay) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    replay(entry.path().filename().string(), bytes);
    ++count;
  }
  return count;
}

// How many files there were; each must pass `target`.
template <class Target>
std::size_t replay_all(const char* folder, const Target& target) {
  return for_each_file(folder, [&](const std::string& name, const std::string& bytes) {
    SCOPED_TRACE(name);
    EXPECT_EQ(target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
  });
}

TEST(WireCorpus, DoesNoHarm) {
  EXPECT_GE(replay_all(GODWIT_WIRE_CORPUS, LLVMFuzzerTestOneInput), 20U);
}

TEST(ValueCodecCorpus, DoesNoHarm) {
  EXPECT_GE(replay_all(GODWIT_VALUE_CODEC_CORPUS, value_codec_fuzz), 16U);
}

TEST(ValueCodecCorpus, NorDoRandomRows) {
  Prng prng(1);
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) {
    bytes.resize(prng.below(160));
    for (char& byte : bytes) byte = static_cast<char>(prng.next());
    value_codec_fuzz(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
}

// The seeds are packed by another program, fuzz/make_wire_seeds.py: both understand the format
// alike.
TEST(WireCorpus, SeedsDecodeAndHoldEveryMessage) {
  std::set<PartType> seen;
  for_each_file(GODWIT_WIRE_CORPUS, [&](const std::string& name, const std::string& bytes) {
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
