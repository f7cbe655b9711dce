// store/memory_map_test.cc: zeroed, aligned, movable.
#include "store/memory_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace godwit {
namespace {

TEST(MemoryMap, IsZeroedAndWritable) {
  const MemoryMap map = MemoryMap::make(10'000).value();
  ASSERT_GE(map.bytes(), 10'000u);
  EXPECT_TRUE(std::all_of(map.begin(), map.begin() + map.bytes(),
                          [](std::byte b) { return b == std::byte{0}; }));
  map.begin()[map.bytes() - 1] = std::byte{7};
}

TEST(MemoryMap, LargeOnesStartAtAHugePage) {
  const MemoryMap map = MemoryMap::make(std::size_t{5} << 20).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(map.begin()) % (2u << 20), 0u);
  map.begin()[map.bytes() - 1] = std::byte{7};
}

TEST(MemoryMap, MovingPassesTheMemoryOn) {
  MemoryMap first = MemoryMap::make(4096).value();
  first.begin()[0] = std::byte{1};
  const MemoryMap second = std::move(first);
  EXPECT_EQ(first.begin(), nullptr);  // NOLINT: moved-from is defined
  EXPECT_EQ(second.begin()[0], std::byte{1});
}

TEST(MemoryMap, MoreThanTheAddressSpaceIsOutOfMemory) {
  const auto map = MemoryMap::make(std::size_t{1} << 50);
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(map.error().code(), ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace godwit
