// cli/node_report_test.cc: answers of nodes, good and bad.
#include "cli/node_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"

namespace godwit {
namespace {

using testing::HasSubstr;

constexpr const char* kNode =
    R"({"job":"j","node":1,"nodes":3,"pid":77,"uptime_seconds":2.5,"counters":{"sent.bytes":5},)"
    R"("gauges":{"copies":-2},"histograms":{"h":{"count":1,"p50":1,"p99":1,"max":1}},"tables":[)"
    R"({"name":"t","id":0,"rows_resident":4,"bytes":64,"placement":"intent"}],"workers":)"
    R"({"count":1,"tick_min":3,"tick_max":4},"clock":{"stable":2,"slowest":"worker 0",)"
    R"("staleness":[{"tick":0,"staleness":1},{"tick":99,"staleness":2}],"workers":[{"id":4,)"
    R"("tick":3,"advance_wait_seconds":0.5,"read_wait_seconds":1.5}]},)"
    R"("peers":[{"node":0,"state":"up",)"
    R"("heard_seconds_ago":0.5}],"waits":[{"what":"barrier","seconds":1.5}],"threads_waiting":1})";

constexpr const char* kRow =
    R"({"job":"j","node":1,"table":"t","key":9,"home":1,"here":"owned","resident":true,"moves":2,)"
    R"("sharers":[{"node":0,"wants":true,"has_copy":false}],"owner":{"node":1,"moves":2},)"
    R"("history":[{"owner":1,"moves":2,"seconds_ago":0.25}],"leases_count":3,"leases":[]})";

TEST(NodeReport, HoldsWhatTheNodeSaid) {
  const NodeReport report = parse_node_report(kNode).value();
  EXPECT_EQ(report.node, 1);
  EXPECT_EQ(report.nodes, 3);
  EXPECT_EQ(report.pid, 77);
  EXPECT_EQ(report.tick_min, 3);
  EXPECT_EQ(report.tick_max, 4);
  EXPECT_EQ(report.stable_tick, 2);
  EXPECT_EQ(report.slowest, "worker 0");
  EXPECT_EQ(report.staleness.at(1).tick, 99);
  EXPECT_EQ(report.staleness.at(1).staleness, 2);
  EXPECT_EQ(report.workers.at(0).id, 4);
  EXPECT_EQ(report.workers.at(0).read_wait_seconds, 1.5);
  EXPECT_EQ(report.metric("sent.bytes"), 5);
  EXPECT_EQ(report.metric("copies"), -2);
  EXPECT_EQ(report.metric("lease.keys"), std::nullopt);
  EXPECT_EQ(report.peers.at(0).state, "up");
  EXPECT_EQ(report.waits.at(0).what, "barrier");
  EXPECT_EQ(report.tables.at(0).rows_resident, 4u);
  EXPECT_EQ(report.failure, "");
}

TEST(NodeReport, HoldsWhatItSaidOfARow) {
  const RowReport report = parse_row_report(kRow).value();
  EXPECT_EQ(report.home, 1);
  EXPECT_EQ(report.here, "owned");
  EXPECT_TRUE(report.resident);
  EXPECT_EQ(report.leases, 3u);
  EXPECT_TRUE(report.sharers.at(0).wants);
  EXPECT_EQ(report.owner->moves, 2u);
  EXPECT_EQ(report.history.at(0).seconds_ago, 0.25);
}

TEST(NodeReport, ErrorsOfTheNodeKeepTheirCode) {
  const auto unknown = parse_row_report(R"({"error":"no table","code":"not found"})");
  EXPECT_EQ(unknown.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(unknown.error().message(), "no table");
  const auto bad = parse_row_report(R"({"error":"too large","code":"invalid argument"})");
  EXPECT_EQ(bad.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(parse_node_report(R"({"error":"x"})").error().code(), ErrorCode::kUnavailable);
}

TEST(NodeReport, AnythingElseIsRefused) {
  for (const char* line : {"", "{", "[]", "7", "{}", R"({"node":"x"})", R"({"error":7})",
                           R"({"node":1,"nodes":2,"pid":3})"}) {
    EXPECT_EQ(parse_node_report(line).error().code(), ErrorCode::kCorruption) << line;
    EXPECT_EQ(parse_row_report(line).error().code(), ErrorCode::kCorruption) << line;
  }
  const std::string line = kNode;
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(parse_node_report(line.substr(0, size)).ok()) << size;
  }
}

TEST(NodeReport, AJsonLineIsTheAnswerOrSaysWhyThereIsNone) {
  EXPECT_EQ(to_json_line(std::string(kRow), "j", 1), kRow);
  EXPECT_EQ(to_json_line(timeout("no answer"), "j", 1),
            R"({"job":"j","node":1,"error":"no answer"})");
  EXPECT_EQ(to_json_line(std::string(R"({"error":"no table"})"), "j", 1),
            R"({"job":"j","node":1,"error":"no table"})");
  EXPECT_THAT(to_json_line(std::string("garbage\xff"), "j", 1), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace godwit
