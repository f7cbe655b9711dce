// group/share_of_test.cc: shares cover everything once and are about equal.
#include "group/share_of.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace godwit {
namespace {

TEST(ShareOf, SharesCoverAllOnceAndAreAboutEqual) {
  for (const std::size_t total : {0, 1, 15, 16, 17, 31, 32, 33, 100, 1000, 4099}) {
    for (int size = 1; size <= 7; ++size) {
      std::size_t next = 0;
      std::size_t largest = 0;
      std::size_t smallest = total;
      for (int rank = 0; rank < size; ++rank) {
        const Interval share = share_of(total, rank, size);
        EXPECT_EQ(share.begin, next);
        EXPECT_TRUE(share.end == total || share.end % 16 == 0);
        next = share.end;
        largest = std::max(largest, share.length());
        smallest = std::min(smallest, share.length());
      }
      EXPECT_EQ(next, total);
      EXPECT_LE(largest - smallest, 31U) << total << " over " << size;
    }
  }
}

TEST(PartOf, PartsCoverASpanAndThenAreEmpty) {
  const Interval span{10, 35};
  EXPECT_EQ(part_of(span, 0, 10), (Interval{10, 20}));
  EXPECT_EQ(part_of(span, 2, 10), (Interval{30, 35}));
  EXPECT_EQ(part_of(span, 3, 10).length(), 0U);
}

}  // namespace
}  // namespace godwit
