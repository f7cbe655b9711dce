// bench/collective_tensors_test.cc: that wrong sums are found.
#include "bench/collective_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

// What an allreduce by all ranks would leave.
void sum_up(CollectiveTensors& tensors, int size) {
  std::vector<float> sums(tensors.copies()[0].size());
  for (int rank = 0; rank < size; ++rank) {
    tensors.fill(rank);
    for (const auto& copy : tensors.copies()) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += copy[i];
    }
  }
  for (auto& copy : tensors.copies()) copy = sums;
}

TEST(CollectiveTensors, SumsOfAllRanksAndCopiesAreRight) {
  CollectiveTensors tensors({300, 7}, 2);
  sum_up(tensors, 3);
  EXPECT_TRUE(tensors.check(3, "test").ok());
}

TEST(CollectiveTensors, OneWrongElementOfOneCopyIsFound) {
  CollectiveTensors tensors({300, 7}, 2);
  sum_up(tensors, 3);
  tensors.copies()[1][303] += 1;
  const auto done = tensors.check(3, "test");
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code(), ErrorCode::kCorruption);
  EXPECT_THAT(done.error().message(), testing::HasSubstr("test: element 303 is"));
}

TEST(CollectiveTensors, OtherNumbersOfRanksHaveOtherSums) {
  CollectiveTensors tensors({300}, 1);
  sum_up(tensors, 2);
  EXPECT_FALSE(tensors.check(3, "test").ok());
}

TEST(CollectiveTensors, TensorsLieOneBehindTheOther) {
  CollectiveTensors tensors({300, 7}, 2);
  EXPECT_EQ(tensors.list().length(), 307U);
  EXPECT_EQ(tensors.tensors()[1][1].data(), tensors.copies()[1].data() + 300);
}

}  // namespace
}  // namespace godwit
