// node/node_test.cc: several sessions in one process, over real sockets.
#include "node/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "godwit/session.h"
#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(Node, TablesAreSharedByAllNodes) {
  run_job(3, "shared", [](Session& session) {
    const Table table = session.table({.name = "t", .rows = 500, .row_length = 3}).value();
    Worker worker = session.worker().value();
    std::vector<Key> keys(500);
    for (Key key = 0; key < 500; ++key) keys[key] = key;
    const std::vector<float> ones(1500, 1);
    for (int i = 0; i < 20; ++i) worker.push(table, keys, ones).value();
    session.barrier().value();
    std::vector<float> values(1500);
    worker.pull(table, keys, values).value();
    EXPECT_EQ(values, std::vector<float>(1500, 60));
    session.barrier().value();
    EXPECT_LT(table.stats().resident_rows, 300u) << "rows are spread over the nodes";
    session.close().value();
  });
}

TEST(Node, AsynchronousCallsOverlap) {
  run_job(2, "async", [](Session& session) {
    const Table table = session.table({.name = "t", .rows = kUnbounded, .row_length = 1}).value();
    Worker worker = session.worker().value();
    std::vector<Ticket> tickets;
    for (int i = 0; i < 50; ++i) {
      std::vector<Key> keys;
      for (Key key = 0; key < 40; ++key) keys.push_back(key * 0x9e3779b97f4a7c15U);
      tickets.push_back(worker.push_async(table, keys, std::vector<float>(40, 1)).value());
    }
    for (const Ticket& ticket : tickets) worker.wait(ticket).value();
    session.barrier().value();
    std::vector<std::vector<float>> values(10, std::vector<float>(2));
    tickets.clear();
    for (auto& row : values) {
      tickets.push_back(
          worker.pull_async(table, std::vector<Key>{0, 0x9e3779b97f4a7c15U}, row).value());
    }
    for (const Ticket& ticket : tickets) worker.wait(ticket).value();
    for (const auto& row : values) EXPECT_EQ(row, (std::vector<float>{100, 100}));
    session.close().value();
  });
}

TEST(Node, BadInputIsRefusedBeforeItTravels) {
  run_job(2, "bad", [](Session& session) {
    const Table table = session.table({.name = "t", .rows = 10, .row_length = 1}).value();
    Worker worker = session.worker().value();
    const auto refused = worker.push(table, std::vector<Key>{1, 99}, std::vector<float>{1, 1});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("key 99"));
    session.barrier().value();
    std::vector<float> value(1);
    worker.pull(table, std::vector<Key>{1}, value).value();
    EXPECT_EQ(value[0], 0);
    session.close().value();
  });
}

TEST(Node, ATableWithAnotherSpecIsRefusedWhereItIsOpened) {
  run_job(2, "spec", [](Session& session) {
    if (session.node() == NodeId{0}) {
      EXPECT_TRUE(session.table({.name = "t", .rows = 10, .row_length = 1}).ok());
      session.barrier().value();
    } else {
      session.barrier().value();
      const auto refused = session.table({.name = "t", .rows = 11, .row_length = 1});
      ASSERT_FALSE(refused.ok());
      EXPECT_THAT(refused.error().message(), HasSubstr("rows 10 and 11"));
    }
    session.close().value();
  });
}

TEST(Node, ANodeThatEndsWithoutGoodbyeIsNamed) {
  run_job(3, "gone", [](Session& session) {
    const Table table = session.table({.name = "t", .rows = 1000, .row_length = 1}).value();
    if (session.node() == NodeId{2}) return;  // as if it had crashed
    Worker worker = session.worker().value();
    std::vector<Key> keys(1000);
    for (Key key = 0; key < 1000; ++key) keys[key] = key;
    const std::vector<float> ones(1000, 1);
    Result<> pushed;
    while (pushed.ok()) pushed = worker.push(table, keys, ones);
    EXPECT_EQ(pushed.error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(pushed.error().message(), HasSubstr("node 2 is lost"));
    const auto closed = session.close();
    EXPECT_FALSE(closed.ok());
  });
}

TEST(Node, PlacesThatCannotBeAreRefused) {
  EXPECT_FALSE(Session::open({.nodes = 2, .node = NodeId{2}}).ok());
  EXPECT_FALSE(Session::open({.nodes = 5000, .node = NodeId{0}}).ok());
  EXPECT_FALSE(Session::open({.nodes = 2, .node = NodeId{0}, .rendezvous = "unix:@x"}).ok())
      << "no token";
}

}  // namespace
}  // namespace godwit
