// group/shared_channel_test.cc: messages come once, in order and whole.
#include "group/shared_channel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "group/scratch.h"

namespace godwit {
namespace {

TEST(SharedChannel, HoldsAsManyMessagesAsItHasSlots) {
  Scratch memory;
  const SharedChannel channel(memory.take(SharedChannel::memory_bytes()).data());
  channel.clear();
  EXPECT_TRUE(channel.front().empty());
  for (std::uint32_t i = 0; i < SharedChannel::kSlots; ++i) {
    std::memcpy(channel.room(), &i, sizeof i);
    channel.publish(sizeof i + i);
  }
  EXPECT_EQ(channel.room(), nullptr);
  for (std::uint32_t i = 0; i < SharedChannel::kSlots; ++i) {
    ASSERT_EQ(channel.front().size(), sizeof i + i);
    std::uint32_t got = 0;
    std::memcpy(&got, channel.front().data(), sizeof got);
    EXPECT_EQ(got, i);
    channel.pop();
    EXPECT_NE(channel.room(), nullptr);
  }
  EXPECT_TRUE(channel.front().empty());
}

TEST(SharedChannel, AReceiverSeesWhatWasWritten) {
  Scratch memory;
  std::byte* at = memory.take(SharedChannel::memory_bytes()).data();
  SharedChannel(at).clear();
  constexpr std::uint32_t kMessages = 20'000;
  std::jthread sender([at] {
    const SharedChannel channel(at);
    for (std::uint32_t i = 0; i < kMessages;) {
      std::byte* room = channel.room();
      if (room == nullptr) {
        std::this_thread::yield();
        continue;
      }
      const std::vector<std::uint32_t> values(1 + i % 50, i);
      std::memcpy(room, values.data(), values.size() * 4);
      channel.publish(values.size() * 4);
      ++i;
    }
  });
  const SharedChannel channel(at);
  for (std::uint32_t i = 0; i < kMessages;) {
    const auto front = channel.front();
    if (front.empty()) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(front.size(), 4 * (1 + i % 50));
    std::vector<std::uint32_t> values(front.size() / 4);
    std::memcpy(values.data(), front.data(), front.size());
    for (const std::uint32_t value : values) ASSERT_EQ(value, i);
    channel.pop();
    ++i;
  }
}

}  // namespace
}  // namespace godwit
