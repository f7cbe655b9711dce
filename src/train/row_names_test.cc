// train/row_names_test.cc: names come back, and mistyped ones are guessed.
#include "train/row_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_disk.h"

namespace godwit {
namespace {

using testing::ElementsAre;

TEST(RowNames, ComeBackAsTheyWere) {
  MemoryDisk disk;
  const RowNames names{{"entities", {"a", "", "b c"}}, {"relations", {"\xC3\xA9t\xC3\xA9"}}};
  ASSERT_TRUE(write_row_names(disk, "run/names", names).ok());
  EXPECT_EQ(read_row_names(disk, "run/names").value(), names);
  disk.crash();
  EXPECT_EQ(read_row_names(disk, "run/names").value(), names);
}

TEST(RowNames, ALineEndDoesNotMakeTwoOfOne) {
  MemoryDisk disk;
  ASSERT_TRUE(write_row_names(disk, "names", {{"t", {"x", "a\nb", "y"}}}).ok());
  EXPECT_THAT(read_row_names(disk, "names").value()["t"], ElementsAre("x", "a b", "y"));
}

TEST(RowNames, ARunWithoutThemHasNone) {
  MemoryDisk disk;
  EXPECT_TRUE(read_row_names(disk, "nowhere").value().empty());
  ASSERT_TRUE(write_row_names(disk, "names", {}).ok());
  EXPECT_FALSE(disk.list("names").ok());
}

TEST(RowNames, BeginningsComeBeforeWhatIsSpelledAlike) {
  const std::vector<std::string> names{"riverbank", "rover", "river.n.01", "lake", "rivet"};
  EXPECT_THAT(names_near("river", names, 5), ElementsAre("riverbank", "river.n.01", "rover"));
  EXPECT_THAT(names_near("river", names, 1), ElementsAre("riverbank"));
  EXPECT_THAT(names_near("zzzzzz", names, 5), ElementsAre());
}

}  // namespace
}  // namespace godwit
