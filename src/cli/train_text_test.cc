// cli/train_text_test.cc: the lines that everybody sees.
#include "cli/train_text.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(TrainText, OneIsNotMany) {
  EXPECT_EQ(size_text(1, 2, 20), "1 node x 2 workers, 20 epochs");
  EXPECT_EQ(size_text(4, 1, 1), "4 nodes x 1 worker, 1 epoch");
}

TEST(TrainText, TheEndSaysHowLongThenWhy) {
  EXPECT_EQ(end_text({.seconds = 0.7, .outcome = "finished"}), "finished after 0.7 s");
  EXPECT_EQ(end_text({.seconds = 0.7, .outcome = "finished", .figures = {{"test rmse", "0.1"}}}),
            "finished after 0.7 s:  test rmse 0.1");
  EXPECT_EQ(end_text({.seconds = 4.6, .outcome = "stopped: it did not get better"}),
            "stopped after 4.6 s: it did not get better");
  EXPECT_EQ(end_text({.seconds = 4.6,
                      .outcome = "stopped: out of time",
                      .figures = {{"test auc", "0.7"}, {"valid auc", "0.8"}}}),
            "stopped after 4.6 s: out of time;  test auc 0.7  valid auc 0.8");
}

TEST(TrainText, SectionsHaveColumnsAndNoBlanksAtTheEnd) {
  EXPECT_EQ(
      section_text({.title = "Nearest",
                    .table = {{"word", "nearest", ""}, {"a", "bb 0.9", "c 0.8"}, {"dog", "", ""}}}),
      "Nearest\n"
      "  word  nearest\n"
      "  a     bb 0.9   c 0.8\n"
      "  dog\n");
  EXPECT_EQ(section_text({.title = "T", .text = "as it is\n"}), "T\nas it is\n");
}

}  // namespace
}  // namespace godwit
