// launch/launch_outcome_test.cc: who is blamed, and with which exit code.
#include "launch/launch_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;

NodeEnd exited(std::int64_t node, int code) {
  return {node, {code, 0}, false};
}
NodeEnd killed(std::int64_t node, int signal) {
  return {node, {0, signal}, false};
}
NodeEnd told(NodeEnd end) {
  end.was_told = true;
  return end;
}

std::int64_t blamed(const std::vector<NodeEnd>& ends) {
  const auto cause = first_cause(ends);
  return cause ? ends[*cause].node : -1;
}

TEST(LaunchOutcome, TheFirstFailureIsBlamed) {
  EXPECT_EQ(blamed({}), -1);
  EXPECT_EQ(blamed({exited(0, 0), exited(1, 0)}), -1);
  EXPECT_EQ(blamed({exited(0, 0), exited(1, 2), exited(2, 1)}), 1);
  EXPECT_EQ(blamed({exited(2, 1), told(killed(0, 15))}), 2);
}

TEST(LaunchOutcome, WhoLostItsPeersIsBlamedOnlyForLackOfAnother) {
  EXPECT_EQ(blamed({exited(0, 3), exited(1, 3)}), 0);
  EXPECT_EQ(blamed({exited(0, 3), killed(1, 9), told(exited(2, 1))}), 1);
  EXPECT_EQ(blamed({exited(0, 3), told(killed(1, 15)), told(exited(2, 1))}), 0);
}

TEST(LaunchOutcome, OfThoseSeenTogetherTheKilledComeFirst) {
  std::vector<NodeEnd> ends = {exited(0, 0), exited(1, 3), exited(2, 1), killed(3, 9)};
  sort_simultaneous(ends);
  std::vector<std::int64_t> order;
  for (const NodeEnd& end : ends) order.push_back(end.node);
  EXPECT_THAT(order, testing::ElementsAre(3, 2, 1, 0));
}

TEST(LaunchOutcome, WhoHasWordsTellsOfAnEndThatItShares) {
  const std::vector<NodeEnd> ends = {exited(1, 2), told(exited(2, 4)), told(exited(0, 2)),
                                     told(exited(3, 2))};
  const auto teller = [&](const std::set<std::int64_t>& with_words) {
    const std::size_t found =
        teller_of(ends, 0, [&](const NodeEnd& end) { return with_words.contains(end.node); });
    return ends[found].node;
  };
  EXPECT_EQ(teller({0, 1, 2, 3}), 1);
  EXPECT_EQ(teller({0, 2, 3}), 0);
  EXPECT_EQ(teller({2}), 1) << "it ended otherwise";
  EXPECT_EQ(teller({}), 1);
  const std::vector<NodeEnd> killings = {killed(1, 9), told(killed(0, 9))};
  EXPECT_EQ(teller_of(killings, 0, [](const NodeEnd& end) { return end.node == 0; }), 0U)
      << "we killed the other";
}

TEST(LaunchOutcome, ExitCodes) {
  EXPECT_EQ(exit_code_of(std::nullopt, false), 0);
  EXPECT_EQ(exit_code_of(ExitStatus{1, 0}, false), 1);
  EXPECT_EQ(exit_code_of(ExitStatus{42, 0}, false), 42);
  EXPECT_EQ(exit_code_of(ExitStatus{0, 9}, false), 3);
  EXPECT_EQ(exit_code_of(std::nullopt, true), 130);
  EXPECT_EQ(exit_code_of(ExitStatus{1, 0}, true), 130);
}

TEST(LaunchOutcome, IsDescribedWithNodeReasonLinesAndLog) {
  const LaunchOutcome outcome{.exit_code = 3,
                              .was_interrupted = false,
                              .failure = NodeFailure{2, {0, 9}, {"one", "two"}, "logs/node-2.log"}};
  const std::string text = describe(outcome, 4);
  EXPECT_THAT(text, HasSubstr("node 2 was killed by signal 9"));
  EXPECT_THAT(text, HasSubstr("the last 2 lines of node 2:\n  one\n  two\n"));
  EXPECT_THAT(text, HasSubstr("logs/node-2.log"));
  EXPECT_THAT(describe(outcome, 1), Not(HasSubstr("other nodes")));
  EXPECT_EQ(describe({}, 4), "");
  EXPECT_THAT(describe({.exit_code = 130, .was_interrupted = true, .failure = {}}, 4),
              HasSubstr("interrupted"));
}

TEST(GroupLaunchOutcome, OneGroupThatFinishedIsEnough) {
  GroupLaunchOutcome outcome;
  EXPECT_EQ(exit_code_of(outcome), 0);
  outcome.given_up = {{.group = 1, .restarts = 3, .status = {0, 9}},
                      {.group = 2, .restarts = 3, .status = {5, 0}}};
  EXPECT_EQ(exit_code_of(outcome), 3);
  outcome.finished = {{.group = 0}};
  EXPECT_EQ(exit_code_of(outcome), 0);
  EXPECT_EQ(describe(outcome),
            "given up: group 1 (it was killed by signal 9 (Killed)), group 2 (it exited with code "
            "5); 1 of 3 groups finished\n");
}

TEST(GroupLaunchOutcome, ATableNodeAndAnInterruptCountMoreThanGroups) {
  GroupLaunchOutcome outcome;
  outcome.finished = {{.group = 0}};
  outcome.server_failure = NodeFailure{1, {6, 0}, {"why"}, ""};
  EXPECT_EQ(exit_code_of(outcome), 6);
  EXPECT_EQ(describe(outcome),
            "table node 1 exited with code 6; the job was ended\n"
            "the last 1 lines of node 1:\n  why\n");
  outcome.was_interrupted = true;
  EXPECT_EQ(exit_code_of(outcome), 130);
  EXPECT_THAT(describe(outcome), HasSubstr("interrupted"));
}

}  // namespace
}  // namespace godwit
