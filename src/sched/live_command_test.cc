// sched/live_command_test.cc: nodes of equal size, and commands made for them.
#include "sched/live_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kCommand{"godwit",  "train",     "mf",          "--nodes",
                                        "{nodes}", "--workers", "{workers}",   "--run",
                                        "{run}",   "{resume}",  "--set={x=1}", "a{nodes}b"};

TEST(NodeLayout, AllNodesHaveTheSameWorkers) {
  EXPECT_EQ(layout_of({{0, 4, 1}, {2, 4, 0}}), (NodeLayout{2, 4, {{0, 1}, {2, 1}}}));
  EXPECT_EQ(layout_of({{0, 4, 1}, {2, 2, 0}}), (NodeLayout{3, 2, {{0, 2}, {2, 1}}}));
  EXPECT_EQ(layout_of({{0, 3, 1}, {1, 0, 1}, {2, 2, 0}}), (NodeLayout{5, 1, {{0, 3}, {2, 2}}}));
}

TEST(LiveCommand, NamesAreReplaced) {
  const NodeLayout layout = layout_of({{0, 4, 1}, {2, 2, 0}});
  ASSERT_TRUE(check_command(kCommand, true).ok());
  EXPECT_THAT(expand_command(kCommand, layout, "/r", false),
              testing::ElementsAre("godwit", "train", "mf", "--nodes", "3", "--workers", "2",
                                   "--run", "/r", "--set={x=1}", "a3b"));
  EXPECT_THAT(expand_command(kCommand, layout, "/r", true), testing::Contains("--resume"));
}

TEST(LiveCommand, MistakesAreNamed) {
  const auto problem = [](std::vector<std::string> command, bool has_checkpoints) {
    const auto checked = check_command(command, has_checkpoints);
    return checked.ok() ? "" : checked.error().message();
  };
  EXPECT_THAT(problem({}, false), HasSubstr("no program"));
  EXPECT_THAT(problem({"a", "{node}"}, false), HasSubstr("did you mean 'nodes'"));
  EXPECT_THAT(problem({"a"}, false), HasSubstr("{nodes}"));
  EXPECT_THAT(problem({"a", "{nodes}"}, true), HasSubstr("checkpoint = false"));
  EXPECT_THAT(problem({"a", "{nodes}", "x{resume}"}, false), HasSubstr("a word of its own"));
  EXPECT_EQ(problem({"a", "{nodes}"}, false), "");
}

}  // namespace
}  // namespace godwit
