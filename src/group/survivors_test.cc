// group/survivors_test.cc: who is left is the same for all of them.
#include "group/survivors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace godwit {
namespace {

class Survivors : public testing::Test {
 protected:
  Survivors() {
    std::string path = testing::TempDir() + "survivors-XXXXXX";
    folder_ = ::mkdtemp(path.data());
  }
  ~Survivors() override { std::filesystem::remove_all(folder_); }

  Result<std::vector<int>> meet(int rank, int size, Duration wait = std::chrono::seconds(20)) {
    return meet_survivors({.folder = folder_,
                           .name = "g",
                           .rank = rank,
                           .size = size,
                           .settle = std::chrono::milliseconds(200)},
                          RealTime().now() + wait);
  }
  void expect_all_find(int size, const std::vector<int>& ranks) {
    std::vector<std::jthread> threads;
    for (const int rank : ranks) {
      threads.emplace_back([this, rank, size, ranks] {
        const auto left = meet(rank, size);
        ASSERT_TRUE(left.ok()) << left.error().message();
        EXPECT_EQ(*left, ranks);
      });
    }
  }

  std::string folder_;
};

TEST_F(Survivors, AllButOneFindEachOther) {
  expect_all_find(4, {0, 2, 3});
}
TEST_F(Survivors, AFewFindEachOtherWithoutRankZero) {
  expect_all_find(5, {2, 4});
}
TEST_F(Survivors, OneIsLeftAlone) {
  expect_all_find(3, {1});
}

TEST_F(Survivors, WhoComesTooLateIsToldSo) {
  expect_all_find(3, {0, 1});
  const auto late = meet(2, 3);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code(), ErrorCode::kUnavailable);
}

TEST_F(Survivors, TheDeadlineHolds) {
  // Rank 0 left its mark and is gone; rank 1 would close the list in its place, but later.
  std::ofstream(folder_ + "/g.survivors.0") << "";
  const auto left = meet(1, 4, std::chrono::milliseconds(50));
  ASSERT_FALSE(left.ok());
  EXPECT_EQ(left.error().code(), ErrorCode::kTimeout);
}

TEST_F(Survivors, AFolderThatIsNotThereIsAnError) {
  folder_ += "/none";
  EXPECT_EQ(meet(0, 2).error().code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace godwit
