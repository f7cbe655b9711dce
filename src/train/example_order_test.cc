// train/example_order_test.cc: every example once, in a segment that does not depend on who has it.
#include "train/example_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace godwit {
namespace {

std::map<std::uint64_t, std::int64_t> segments_by(std::uint64_t examples, std::uint64_t workers,
                                                  std::int64_t epoch) {
  std::map<std::uint64_t, std::int64_t> segments;
  for (std::uint64_t worker = 0; worker < workers; ++worker) {
    ExampleOrder order;
    order.draw(examples * worker / workers, examples * (worker + 1) / workers, 5, 9, epoch);
    for (std::int64_t segment = 0; segment < 5; ++segment) {
      for (const std::uint64_t example : order.of(segment)) {
        EXPECT_TRUE(segments.emplace(example, segment).second) << example << " came twice";
      }
    }
  }
  return segments;
}

TEST(ExampleOrder, SegmentsDoNotDependOnTheNumberOfWorkers) {
  const auto alone = segments_by(1000, 1, 0);
  EXPECT_EQ(alone.size(), 1000U);
  EXPECT_EQ(segments_by(1000, 3, 0), alone);
  EXPECT_EQ(segments_by(1000, 7, 0), alone);
  EXPECT_NE(segments_by(1000, 1, 1), alone);
}

TEST(ExampleOrder, IsShuffledAnewInEachEpochAndTheSameForOneSeed) {
  const auto of = [](std::int64_t epoch) {
    ExampleOrder order;
    order.draw(0, 100, 1, 3, epoch);
    return std::vector<std::uint64_t>(order.of(0).begin(), order.of(0).end());
  };
  EXPECT_EQ(of(0), of(0));
  EXPECT_NE(of(0), of(1));
  std::vector<std::uint64_t> sorted = of(0);
  EXPECT_FALSE(std::is_sorted(sorted.begin(), sorted.end()));
}

TEST(ExampleOrder, PartsAreAllOfASegmentInItsOrder) {
  ExampleOrder order;
  order.draw(0, 103, 2, 3, 0);
  std::vector<std::uint64_t> joined;
  for (std::size_t i = 0; i < 7; ++i) {
    const auto part = order.part(1, i, 7);
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_THAT(joined, testing::ElementsAreArray(order.of(1)));
  EXPECT_EQ(ticks_of_segment(1000, 2, 5, 10), 10U);
  EXPECT_EQ(ticks_of_segment(3, 2, 5, 10), 1U);
}

TEST(ExampleOrder, NobodyNeedHaveAny) {
  ExampleOrder order;
  order.draw(4, 4, 3, 1, 0);
  for (std::int64_t segment = 0; segment < 3; ++segment) EXPECT_TRUE(order.of(segment).empty());
}

}  // namespace
}  // namespace godwit
