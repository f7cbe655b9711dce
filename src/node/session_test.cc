// node/session_test.cc: sessions through the public API alone.
#include "godwit/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace godwit {
namespace {

using testing::HasSubstr;

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(Session, AloneItIsNodeZeroOfOneAndStartsNothing) {
  const std::size_t threads = threads_of_this_process();
  Session session = Session::open().value();
  EXPECT_EQ(session.node(), NodeId{0});
  EXPECT_EQ(session.nodes(), 1);
  const Table table = session.table({.name = "t", .rows = 10, .row_length = 2}).value();
  Worker worker = session.worker().value();
  EXPECT_TRUE(worker.push(table, std::vector<Key>{1}, std::vector<float>{1, 2}).ok());
  EXPECT_EQ(threads_of_this_process(), threads);
}

TEST(Session, WorkersShareTables) {
  Session session = Session::open().value();
  const TableSpec spec{.name = "t", .rows = 10, .row_length = 2};
  const Table table = session.table(spec).value();
  Worker first = session.worker().value();
  Worker second = session.worker().value();
  EXPECT_NE(first.id(), second.id());
  const std::vector<Key> keys{3};
  first.push(table, keys, std::vector<float>{1, 2}).value();
  std::vector<float> values(2);
  second.pull(session.table(spec).value(), keys, values).value();
  EXPECT_EQ(values, (std::vector<float>{1, 2}));
  second.set(table, keys, std::vector<float>{7, 8}).value();
  first.pull(table, keys, values).value();
  EXPECT_EQ(values, (std::vector<float>{7, 8}));
}

TEST(Session, ConcurrentWorkersLoseNothing) {
  Session session = Session::open().value();
  const Table table = session.table({.name = "t", .rows = 1, .row_length = 1}).value();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        Worker worker = session.worker().value();
        for (int i = 0; i < 5000; ++i) {
          worker.push(table, std::vector<Key>{0, 0}, std::vector<float>{1, 1}).value();
          worker.advance().value();
        }
        EXPECT_EQ(worker.tick(), Tick{5000});
      });
    }
  }
  std::vector<float> value(1);
  session.worker().value().pull(table, std::vector<Key>{0}, value).value();
  EXPECT_EQ(value[0], 40'000);
  EXPECT_EQ(session.metrics().at("push.keys"), 40'000);
}

TEST(Session, TablesAndWorkersOutliveIt) {
  std::optional<Session> session = Session::open().value();
  const Table table = session->table({.name = "t", .rows = 1, .row_length = 1}).value();
  Worker worker = session->worker().value();
  session.reset();
  worker.push(table, std::vector<Key>{0}, std::vector<float>{5}).value();
  std::vector<float> value(1);
  worker.pull(table, std::vector<Key>{0}, value).value();
  EXPECT_EQ(value[0], 5);
  EXPECT_EQ(table.stats().resident_rows, 1u);
}

TEST(Session, OverASlowLinkAllTakesLongerAndNothingIsLost) {
  using Steady = std::chrono::steady_clock;
  const std::string job = "slow-link-" + std::to_string(::getpid());
  std::vector<std::jthread> threads;
  for (std::int64_t node = 0; node < 2; ++node) {
    threads.emplace_back([&job, node] {
      Session session = Session::open({.nodes = 2,
                                       .node = NodeId{node},
                                       .rendezvous = "unix:@" + job,
                                       .job = job,
                                       .token = "secret",
                                       .link = "1gbit,20ms",
                                       .wait_max = std::chrono::seconds(30)})
                            .value();
      const Table table = session.table({.name = "t", .rows = 100, .row_length = 1}).value();
      Worker worker = session.worker().value();
      std::vector<Key> keys(100);
      std::iota(keys.begin(), keys.end(), Key{0});
      const auto begin = Steady::now();
      worker.push(table, keys, std::vector<float>(100, 1)).value();
      EXPECT_GE(Steady::now() - begin, std::chrono::milliseconds(40));
      session.barrier().value();
      std::vector<float> values(100);
      worker.pull(table, keys, values).value();
      EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0F), 200);
      session.close().value();
    });
  }
}

TEST(Session, ErrorsSayWhatToFix) {
  Session session = Session::open({.memory_bytes_max = 1 << 20}).value();
  EXPECT_THAT(session.table({.name = "t", .rows = 1, .row_length = 0}).error().message(),
              HasSubstr("row_length is 0"));
  EXPECT_EQ(session.table({.name = "t", .rows = 1 << 20, .row_length = 64}).error().code(),
            ErrorCode::kOutOfMemory);
  EXPECT_THAT(Session::open({.link = "1 parsec"}).error().message(), HasSubstr("'1 parsec'"));
  Session other = Session::open().value();
  const Table table = other.table({.name = "theirs", .rows = 1, .row_length = 1}).value();
  Worker worker = session.worker().value();
  EXPECT_THAT(worker.push(table, std::vector<Key>{0}, std::vector<float>{5}).error().message(),
              HasSubstr("'theirs' belongs to another session"));
}

}  // namespace
}  // namespace godwit
