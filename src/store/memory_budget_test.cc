// store/memory_budget_test.cc: nothing is counted twice, nothing beyond the limit.
#include "store/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace godwit {
namespace {

TEST(MemoryBudget, RefusesWhatDoesNotFitAndCountsNothing) {
  MemoryBudget budget(1000);
  EXPECT_TRUE(budget.take(600, "a").ok());
  const auto refused = budget.take(401, "table 'b'");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
  EXPECT_THAT(refused.error().message(),
              testing::AllOf(testing::HasSubstr("table 'b'"), testing::HasSubstr("401 bytes"),
                             testing::HasSubstr("400 bytes")));
  EXPECT_EQ(budget.taken(), 600u);
  EXPECT_TRUE(budget.take(400, "c").ok());
}

TEST(MemoryBudget, GivenBackBytesCanBeTakenAgain) {
  MemoryBudget budget(10);
  EXPECT_TRUE(budget.take(10, "a").ok());
  budget.give_back(10);
  EXPECT_TRUE(budget.take(10, "b").ok());
}

TEST(MemoryBudget, HugeRequestsDoNotWrapAround) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(50, "a").ok());
  EXPECT_FALSE(budget.take(~std::uint64_t{0}, "b").ok());
}

TEST(MemoryBudget, ConcurrentTakersNeverExceedTheLimit) {
  MemoryBudget budget(1000);
  std::atomic<int> granted{0};
  {
    std::vector<std::jthread> takers;
    for (int t = 0; t < 4; ++t) {
      takers.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          if (budget.take(1, "one").ok()) ++granted;
        }
      });
    }
  }
  EXPECT_EQ(granted, 1000);
  EXPECT_EQ(budget.taken(), 1000u);
}

TEST(AvailableMemory, IsPlausible) {
  EXPECT_GT(available_memory_bytes(), std::uint64_t{1} << 20);
  EXPECT_LT(available_memory_bytes(), std::uint64_t{1} << 50);
}

TEST(HumanBytes, PicksTheUnit) {
  EXPECT_EQ(human_bytes(12), "12 bytes");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(std::uint64_t{3} << 40), "3.0 TiB");
}

}  // namespace
}  // namespace godwit
