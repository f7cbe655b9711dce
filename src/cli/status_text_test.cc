// cli/status_text_test.cc: what people read.
#include "cli/status_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

NodeReport node_report() {
  NodeReport node;
  node.node = 1;
  node.nodes = 3;
  node.pid = 77;
  node.uptime_seconds = 10;
  node.tick_min = 3;
  node.tick_max = 5;
  node.metrics = {{"lease.keys", 200},  {"lease.missed_keys", 10}, {"pull.keys", 300},
                  {"remote.keys", 240}, {"sent.bytes", 2.5e6},     {"copies", 12}};
  return node;
}

TEST(StatusText, ANodesRowHasItsSharesAndDashesForWhatItLacks) {
  const std::string text = to_text(JobReport{.job = "j", .nodes = {node_report()}, .silent = {}});
  EXPECT_THAT(text, HasSubstr("job j: 1 of 3 nodes answer on this machine, up 10.0 s"));
  EXPECT_THAT(text,
              ContainsRegex("\n1 +77 +3\\.\\.5 +95\\.0 % +50\\.0 % +240 +2\\.5 +- +12 +- +-\n"));
}

TEST(StatusText, ANodeThatDidNothingHasNoShares) {
  NodeReport node = node_report();
  node.metrics = {{"lease.keys", 0}, {"lease.missed_keys", 0}};
  node.tick_min = node.tick_max = std::nullopt;
  const std::string text = to_text(JobReport{.job = "j", .nodes = {node}, .silent = {}});
  EXPECT_THAT(text, ContainsRegex("\n1 +77 +- +- +- +- +- +- +- +- +-\n"));
}

TEST(StatusText, TablesAreSummedOverTheNodes) {
  NodeReport node = node_report();
  node.tables = {{"t", "intent", 5, 1'000'000}};
  EXPECT_THAT(to_text(JobReport{.job = "j", .nodes = {node, node}, .silent = {}}),
              HasSubstr("table t: 10 rows resident here, 2.0 MB, placement intent\n"));
}

TEST(StatusText, TheClockIsThatOfTheNodeThatKnowsMost) {
  NodeReport node = node_report();
  EXPECT_THAT(to_text(JobReport{.job = "j", .nodes = {node}, .silent = {}}),
              Not(HasSubstr("clock")));
  NodeReport other = node_report();
  node.stable_tick = 7;
  node.slowest = "worker 1 of node 0, in tick 8 for 0.5 s";
  other.stable_tick = 6;
  EXPECT_THAT(to_text(JobReport{.job = "j", .nodes = {other, node}, .silent = {}}),
              HasSubstr("clock: all have ended tick 7; slowest: worker 1 of node 0, in tick 8 "));
}

TEST(StatusText, WorkersWaitForOthersAndTellHowLong) {
  NodeReport node = node_report();
  node.staleness = {{0, 1}, {150, 2}};
  node.workers = {{3, 151, 0.25, 1.5}};
  const std::string text = to_text(JobReport{.job = "j", .nodes = {node}, .silent = {}});
  EXPECT_THAT(text, HasSubstr("reads up to 1 ticks old from tick 0, 2 ticks old from tick 150\n"));
  EXPECT_THAT(text, HasSubstr("waited to begin"));
  for (std::int64_t i = 3; i < 9; ++i) node.staleness.push_back({100 * i, i});
  EXPECT_THAT(to_text(JobReport{.job = "j", .nodes = {node}, .silent = {}}),
              HasSubstr("reads up to 4 ticks old from tick 400, 5 ticks old from tick 500, 6"));
  EXPECT_THAT(text, HasSubstr("1.5 s"));
}

TEST(StatusText, OnlyTroublesAreTold) {
  JobReport report{.job = "j", .nodes = {node_report()}, .silent = {}};
  NodeReport& node = report.nodes[0];
  node.peers = {{0, "up", 0.5}, {2, "left", 9}};
  node.waits = {{"pull of 3 keys", 0.01}};
  EXPECT_TRUE(report.is_well());
  EXPECT_THAT(to_text(report), Not(HasSubstr("node 1:")));
  node.peers[0].heard_seconds_ago = 4;
  node.waits[0].seconds = 4;
  EXPECT_TRUE(report.is_well());
  EXPECT_THAT(to_text(report), HasSubstr("node 1: node 0 is silent, last heard 4.0 s ago\n"));
  EXPECT_THAT(to_text(report), HasSubstr("node 1: a thread waits for 4.0 s: pull of 3 keys\n"));
  node.peers[0].state = "down";
  EXPECT_FALSE(report.is_well());
  EXPECT_THAT(to_text(report), HasSubstr("node 1: node 0 is down"));
}

TEST(StatusText, ASilentNodeIsNamed) {
  const JobReport report{.job = "j", .nodes = {}, .silent = {{2, 99, "no answer within 2 s"}}};
  EXPECT_FALSE(report.is_well());
  EXPECT_THAT(to_text(report), HasSubstr("job j: no node answers\n"));
  EXPECT_THAT(to_text(report), HasSubstr("node 2, pid 99, does not answer: no answer within 2 s"));
}

TEST(StatusText, ARowsHomeOwnerCopiesAndHistory) {
  RowReport home{.node = 0, .home = 0, .here = "absent", .sharers = {}, .history = {}};
  home.owner = {.node = 1, .moves = 30};
  for (std::uint64_t i = 1; i <= 30; ++i) {
    home.history.push_back({static_cast<std::int64_t>(i % 2), i, 60.0 - static_cast<double>(i)});
  }
  RowReport owner{
      .node = 1, .home = 0, .here = "owned", .sharers = {{2, true, true}}, .history = {}};
  owner.resident = true;
  const RowReport copy{.node = 2,
                       .home = 0,
                       .here = "copy",
                       .resident = true,
                       .leases = 4,
                       .sharers = {},
                       .history = {}};
  const std::string text = to_text("j", "t", 9, {home, owner, copy});
  EXPECT_THAT(text, HasSubstr("row 9 of table t, job j\nhome: node 0\nowner: node 1\nmoves: 30\n"));
  EXPECT_THAT(text, ContainsRegex("\n2 +copy +yes +4 +wants, has copy\n"));
  EXPECT_THAT(text, ContainsRegex("\n1 +owned +yes +0 +-\n"));
  EXPECT_THAT(text, HasSubstr("owners, the last 20:\n"));
  EXPECT_THAT(text, Not(HasSubstr("move 10\n")));
  EXPECT_THAT(text, ContainsRegex("node 0 +30\\.000 s ago, move 30\n$"));
  EXPECT_THAT(to_text("j", "t", 9, {owner}), HasSubstr("home: node 0, not on this machine\n"));
  EXPECT_THAT(to_text("j", "t", 9, {home}), HasSubstr("on its way to node 1"));
}

TEST(StatusText, RatesAreOfTheInterval) {
  const NodeReport before = node_report();
  NodeReport now = before;
  now.uptime_seconds = 12;
  now.tick_max = 25;
  now.metrics = {{"lease.keys", 300},  {"lease.missed_keys", 10}, {"pull.keys", 300},
                 {"remote.keys", 240}, {"sent.bytes", 4.5e6},     {"copies", 7}};
  EXPECT_THAT(rates_line("j", before, now),
              ContainsRegex("^j +1 +12\\.0 +10 +50 +100\\.0 % +100\\.0 % +0 +1\\.00 +- +7 +-\n$"));
  EXPECT_EQ(rates_line("j", before, now).size(), rates_header().size());
}

}  // namespace
}  // namespace godwit
