// base/sample_order_test.cc: every epoch has every sample once, in an order of its own.
#include "base/sample_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

TEST(SampleOrder, EveryEpochHasEverySampleOnceInAnOrderOfItsOwn) {
  SampleOrder order(101, 5);
  std::vector<std::uint64_t> before;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<bool> seen(101);
    std::vector<std::uint64_t> sequence;
    for (std::uint64_t i = 0; i < 101; ++i) {
      sequence.push_back(order.sample_at(epoch * 101 + i));
      ASSERT_FALSE(seen[sequence.back()]);
      seen[sequence.back()] = true;
    }
    EXPECT_NE(sequence, before);
    before = sequence;
  }
}

TEST(SampleOrder, DoesNotDependOnWhatWasAskedBefore) {
  SampleOrder jumping(50, 1);
  SampleOrder other(50, 1);
  SampleOrder stranger(50, 2);
  int same = 0;
  for (const std::uint64_t position : {420U, 3U, 421U, 77U, 3U, 49U, 50U}) {
    SampleOrder fresh(50, 1);
    EXPECT_EQ(jumping.sample_at(position), fresh.sample_at(position));
    same += stranger.sample_at(position) == other.sample_at(position);
  }
  EXPECT_LT(same, 4) << "another seed is another order";
}

}  // namespace
}  // namespace godwit
