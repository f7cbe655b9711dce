// node/node_groups_test.cc: groups through the public API, over real sockets: exchanges, a process
// that is gone and comes back, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "godwit/session.h"

namespace godwit {
namespace {

using std::chrono::seconds;
using testing::Each;
using testing::HasSubstr;

constexpr std::uint64_t kRows = 20;
constexpr std::uint32_t kLength = 8;

std::vector<Key> all_keys() {
  std::vector<Key> keys(kRows);
  std::iota(keys.begin(), keys.end(), Key{0});
  return keys;
}

TableSpec spec_of(const Rule& rule) {
  return {.name = "parameters",
          .rows = kRows,
          .row_length = kLength,
          .rule = rule,
          .placement = Placement::kStatic};
}

SessionOptions options_of(std::int64_t node, std::int64_t nodes, std::int64_t servers,
                          const std::string& name) {
  const std::string job = name + "-" + std::to_string(::getpid());
  return {.nodes = nodes,
          .node = NodeId{node},
          .rendezvous = "unix:@" + job,
          .job = job,
          .token = "secret",
          .workers = node < servers ? 0 : 1,
          .servers = servers,
          .rejoin_within = seconds(10),
          .wait_max = seconds(30)};
}

// Table nodes that serve until all others have left, and body(session, group) for each group of
// one rank.
void run_groups(std::int64_t servers, std::int64_t groups, const std::string& name,
                const std::function<void(Session&, std::int64_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::int64_t node = 0; node < servers + groups; ++node) {
    threads.emplace_back([&, node] {
      auto session = Session::open(options_of(node, servers + groups, servers, name));
      ASSERT_TRUE(session.ok()) << session.error().message();
      if (node >= servers) body(*session, node - servers);
      const auto closed = session->close();
      EXPECT_TRUE(closed.ok()) << closed.error().message();
    });
  }
}

TEST(Groups, ElasticExchangesBringAllTogether) {
  run_groups(2, 2, "elastic", [](Session& session, std::int64_t group) {
    Worker worker = session.worker().value();
    const Table table = session.table(spec_of(Rule::elastic())).value();
    EXPECT_EQ(session.join_group({.group = group}).value().round, 1U);
    std::vector<float> values(kRows * kLength, group == 0 ? 1.0F : -1.0F);
    for (int step = 0; step < 300; ++step) {
      session.report_progress(step);
      const auto outcome = worker.exchange(table, {}, all_keys(), values);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message();
      EXPECT_GE(outcome->live_groups, 1);
    }
    EXPECT_THAT(values, Each(testing::FloatNear(values[0], 0.05F)));
    session.leave_group();
  });
}

TEST(Groups, SyncRoundsGiveAllTheSame) {
  run_groups(2, 3, "sync", [](Session& session, std::int64_t group) {
    Worker worker = session.worker().value();
    const Table table = session.table(spec_of(Rule::sgd(0.5F))).value();
    std::uint64_t round = session.join_group({.group = group}).value().round;
    std::vector<float> values(kRows * kLength);
    // Who is there first goes ahead until others have joined: all have when all are live.
    while (session.groups().live.size() < 3) {
      std::this_thread::yield();
    }
    float expected = 0;
    for (int step = 0; step < 20; ++step) {
      std::vector<float> sums(kRows * kLength, static_cast<float>(group + 1));
      const auto outcome = worker.exchange(
          table, {.mode = ExchangeMode::kSync, .round = round, .samples = 2}, all_keys(), sums);
      ASSERT_TRUE(outcome.ok()) << outcome.error().message();
      EXPECT_TRUE(outcome->is_counted);
      EXPECT_EQ(outcome->next_round, round + 1);
      round = outcome->next_round;
      expected -= 0.5F;  // the mean is 6 / 6
      ASSERT_THAT(sums, Each(expected));
    }
  });
}

TEST(Groups, TicketsOverlapAndCompressionWorks) {
  run_groups(1, 1, "tickets", [](Session& session, std::int64_t /*group*/) {
    Worker worker = session.worker().value();
    const Table table = session.table(spec_of(Rule::add())).value();
    session.join_group({}).value();
    const std::vector<Key> keys = all_keys();
    std::vector<float> low(std::size_t{10} * kLength, 1);
    std::vector<float> high(std::size_t{10} * kLength, 2);
    for (int step = 1; step <= 3; ++step) {
      std::fill(low.begin(), low.end(), 1.0F);
      std::fill(high.begin(), high.end(), 2.0F);
      const ExchangeOptions options{.mode = ExchangeMode::kAsync,
                                    .compression = {.codec = ExchangeCodec::kBf16}};
      const auto first =
          worker.exchange_async(table, options, std::span(keys).first(10), low).value();
      const auto second =
          worker.exchange_async(table, options, std::span(keys).last(10), high).value();
      ASSERT_TRUE(worker.wait(second).ok());
      ASSERT_TRUE(worker.wait(first).ok());
      EXPECT_THAT(low, Each(static_cast<float>(step)));
      EXPECT_THAT(high, Each(static_cast<float>(2 * step)));
      EXPECT_FALSE(worker.wait(first).ok()) << "a ticket is waited for once";
    }
  });
}

TEST(Groups, AloneANodeIsItsOwnServer) {
  Session session = Session::open().value();
  Worker worker = session.worker().value();
  const Table table = session.table(spec_of(Rule::outer(0.5F, 0))).value();
  session.join_group({}).value();
  std::vector<float> values(kRows * kLength, 2);
  worker.exchange(table, {.mode = ExchangeMode::kOuter}, all_keys(), values).value();
  EXPECT_THAT(values, Each(1.0F));
  EXPECT_EQ(session.groups().live, std::vector<std::int64_t>{0});
}

TEST(Groups, BadCallsAreRefused) {
  Session session = Session::open().value();
  Worker worker = session.worker().value();
  const Table table = session.table(spec_of(Rule::sgd(1))).value();
  std::vector<float> values(kLength);
  const std::array<Key, 1> key{0};
  EXPECT_THAT(
      worker.exchange(table, {.mode = ExchangeMode::kElastic}, key, values).error().message(),
      HasSubstr("rule sgd"));
  EXPECT_THAT(worker.exchange(table, {.mode = ExchangeMode::kSync, .round = 1}, key, values)
                  .error()
                  .message(),
              HasSubstr("in no group"));
  EXPECT_FALSE(session.join_group({.group = 0, .rank = 1, .size = 1}).ok());
  EXPECT_TRUE(session.join_group({}).ok());
  EXPECT_THAT(session.join_group({}).error().message(), HasSubstr("already"));
  SessionOptions options = options_of(0, 2, 0, "no-servers");
  EXPECT_THAT(Session::open(options).error().message(), HasSubstr("only in a job with servers"));
}

// A session that ends without close() is a process that was killed.
TEST(Groups, WhoIsGoneComesBackAndOthersDoNotPause) {
  constexpr std::int64_t kNodes = 4;
  const std::string name = "rejoin";
  std::atomic<bool> is_back{false};
  std::vector<std::jthread> threads;
  for (std::int64_t node = 0; node < kNodes - 1; ++node) {
    threads.emplace_back([&, node] {
      auto session = Session::open(options_of(node, kNodes, 2, name));
      ASSERT_TRUE(session.ok()) << session.error().message();
      if (node == 2) {
        Worker worker = session->worker().value();
        const Table table = session->table(spec_of(Rule::elastic())).value();
        session->join_group({.group = 0}).value();
        std::vector<float> values(kRows * kLength);
        auto longest = std::chrono::steady_clock::duration::zero();
        while (!is_back) {
          const auto begun = std::chrono::steady_clock::now();
          ASSERT_TRUE(worker.exchange(table, {}, all_keys(), values).ok());
          longest = std::max(longest, std::chrono::steady_clock::now() - begun);
        }
        EXPECT_LT(longest, seconds(1));
      }
      EXPECT_TRUE(session->close().ok());
    });
  }
  threads.emplace_back([&] {
    for (int life = 0; life < 3; ++life) {
      auto session = Session::open(options_of(3, kNodes, 2, name));
      ASSERT_TRUE(session.ok()) << session.error().message();
      Worker worker = session->worker().value();
      const Table table = session->table(spec_of(Rule::elastic())).value();
      if (life > 0) {
        const WorkerId id = worker.id();
        const auto begun = session->begin_steps({.samples = 8, .batch = 1}, {&id, 1});
        ASSERT_FALSE(begun.ok());
        EXPECT_EQ(begun.error().code(), ErrorCode::kAborted) << "others have gone on without it";
      }
      session->join_group({.group = 1}).value();
      std::vector<float> values(kRows * kLength);
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(worker.exchange(table, {}, all_keys(), values).ok());
      }
      if (life < 2) continue;
      is_back = true;
      EXPECT_TRUE(session->close().ok());
    }
  });
}

}  // namespace
}  // namespace godwit
