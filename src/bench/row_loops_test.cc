// bench/row_loops_test.cc: the limit does the same arithmetic as the table.
#include "bench/row_loops.h"

#include <gtest/gtest.h>

#include <vector>

namespace godwit {
namespace {

TEST(RowLoops, PlainLoopsCopyAndAddAtEveryDistance) {
  for (const Prefetch how : {Prefetch{}, {1, false}, {2, true}, {3, false}, {100, true}}) {
    std::vector<float> memory{0, 1, 2, 10, 11, 12, 20, 21, 22};
    const PlainArray array{memory.data(), 3};
    const std::vector<Key> keys{2, 0, 2};
    std::vector<float> out(9);
    plain_pull(array, keys, out.data(), how);
    EXPECT_EQ(out, (std::vector<float>{20, 21, 22, 0, 1, 2, 20, 21, 22}));
    plain_push(array, keys, out.data(), how);
    EXPECT_EQ(memory, (std::vector<float>{0, 2, 4, 10, 11, 12, 60, 63, 66}));
  }
}

TEST(RowLoops, RowsInPlaceAreAddedTo) {
  const RowLayout layout{.value_length = 2, .state_length = 0, .stride = 2};
  std::vector<float> memory{1, 2, 3, 4};
  std::vector<Anchor> anchors(2);
  for (Anchor& anchor : anchors) anchor.publish(1);
  const std::vector<RowRef> rows{{memory.data() + 2, &anchors[1], 1},
                                 {memory.data(), &anchors[0], 1}};
  const std::vector<float> gradients{10, 20, 30, 40};
  rows_push_locked(rows, layout, gradients.data(), 1);
  rows_push_racy(rows, layout, gradients.data(), 1);
  EXPECT_EQ(memory, (std::vector<float>{61, 82, 23, 44}));
  EXPECT_TRUE(anchors[0].try_lock(1)) << "unlocked again";
}

}  // namespace
}  // namespace godwit
