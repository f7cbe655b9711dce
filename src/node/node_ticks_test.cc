// node/node_ticks_test.cc: bounded staleness over real sockets: what is read, who waits for whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TableSpec spec(std::int64_t staleness, Placement placement = Placement::kIntent,
               std::uint32_t length = 8) {
  return {.name = "t",
          .rows = 64,
          .row_length = length,
          .consistency = {.kind = ConsistencyKind::kSsp, .staleness = staleness},
          .placement = placement};
}

std::string said(const Result<>& result) {
  return result.ok() ? "" : result.error().message();
}

// In each tick every worker adds 1 to its own element of all rows, then reads all.
void count_ticks(Session& session, const Table& table, Worker& worker, std::int64_t of,
                 std::int64_t staleness, std::int64_t ticks) {
  const std::uint32_t length = table.spec().row_length;
  const auto self = static_cast<std::size_t>(session.node().value() * of + worker.id().value());
  std::vector<Key> keys(16);
  std::iota(keys.begin(), keys.end(), 0);
  std::vector<float> ones(keys.size() * length);
  std::vector<float> values(keys.size() * length);
  for (std::size_t i = 0; i < keys.size(); ++i) ones[i * length + self] = 1;
  const auto workers = static_cast<std::size_t>(session.nodes() * of);
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    ASSERT_EQ(worker.tick(), Tick{tick});
    if (tick % 3 == 0) {
      ASSERT_TRUE(worker.push(table, keys, ones).ok());
    } else {
      auto lease = worker.intend(table, keys, Tick{tick}, Tick{tick + 1}).value();
      const auto opened = worker.open(lease);
      ASSERT_TRUE(opened.ok()) << opened.error().message();
      for (std::size_t i = 0; i < keys.size(); ++i) lease[i].value()[self] += 1;
    }
    const auto pulled = worker.pull(table, keys, values);
    ASSERT_TRUE(pulled.ok()) << pulled.error().message();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      for (std::size_t other = 0; other < workers; ++other) {
        const float value = values[i * length + other];
        ASSERT_GE(value, static_cast<float>(tick - staleness)) << "of worker " << other;
        ASSERT_LE(value, static_cast<float>(tick + staleness + 2));
        if (other == self) {
          ASSERT_EQ(value, static_cast<float>(tick + 1));
        }
      }
    }
    ASSERT_EQ(said(worker.advance()), "");
  }
}

void run_counts(std::int64_t nodes, std::int64_t workers, std::int64_t staleness,
                Placement placement, const std::string& name) {
  constexpr std::int64_t kTicks = 60;
  run_job(
      nodes, name,
      [&](Session& session) {
        const Table table =
            session.table(spec(staleness, placement, static_cast<std::uint32_t>(nodes * workers)))
                .value();
        std::vector<std::jthread> threads;
        for (std::int64_t i = 0; i < workers; ++i) {
          threads.emplace_back([&, worker = session.worker().value()]() mutable {
            count_ticks(session, table, worker, workers, staleness, kTicks);
          });
        }
        threads.clear();
        ASSERT_TRUE(session.barrier().ok());
        const auto metrics = session.metrics();
        EXPECT_EQ(metrics.at("clock.lag_0") + metrics.at("clock.lag_1") +
                      metrics.at("clock.lag_2") + metrics.at("clock.lag_to_4"),
                  static_cast<double>(kTicks * workers));
        EXPECT_GT(metrics.at("clock.read_wait_us") + metrics.at("clock.advance_wait_us"), 0);
        std::vector<float> row(static_cast<std::size_t>(nodes * workers));
        const Key key = 5;
        Worker reader = session.worker().value();
        ASSERT_TRUE(reader.pull(table, {&key, 1}, row).ok());
        for (const float value : row) EXPECT_EQ(value, kTicks);
        ASSERT_TRUE(session.barrier().ok());
        ASSERT_EQ(said(session.close()), "");
      },
      workers);
}

TEST(Ticks, ReadsOfTwoNodesAreNoOlderThanAllowed) {
  for (const std::int64_t staleness : {0, 2}) {
    run_counts(2, 1, staleness, Placement::kIntent, "ticks-2x1-" + std::to_string(staleness));
  }
}

TEST(Ticks, ReadsOfSeveralWorkersOfANodeToo) {
  run_counts(2, 2, 1, Placement::kIntent, "ticks-2x2");
}

TEST(Ticks, ReadsOfOneNodeToo) {
  run_counts(1, 3, 0, Placement::kIntent, "ticks-1x3");
}

TEST(Ticks, UnderOtherPlacementsToo) {
  for (const Placement placement :
       {Placement::kStatic, Placement::kRelocateOnly, Placement::kReplicateAll}) {
    run_counts(3, 1, 0, placement, "ticks-" + to_string(placement));
  }
}

TEST(Ticks, WhoWaitsSaysForWhom) {
  std::atomic<bool> is_told = false;
  run_job(
      2, "ticks-cause",
      [&](Session& session) {
        const Table table = session.table(spec(1)).value();
        Worker worker = session.worker().value();
        if (session.node() == NodeId{0}) {
          for (int i = 0; i < 2; ++i) ASSERT_EQ(said(worker.advance()), "");
          const auto third = worker.advance();
          ASSERT_FALSE(third.ok());
          EXPECT_EQ(third.error().code(), ErrorCode::kTimeout);
          EXPECT_THAT(third.error().message(),
                      AllOf(HasSubstr("tick, waiting for worker 0 of node 1, in tick 0 for ")));
          is_told = true;
        }
        while (!is_told) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        { const Worker gone = std::move(worker); }
        ASSERT_EQ(said(session.close()), "");
      },
      1, std::chrono::seconds(1));
}

TEST(Ticks, ALeaseThatIsHeldIsNotReadyForATickThatCannotBegin) {
  std::atomic<bool> is_over = false;
  run_job(
      2, "ticks-late",
      [&](Session& session) {
        const Table table = session.table(spec(2)).value();
        Worker worker = session.worker().value();
        if (session.node() == NodeId{0}) {
          const std::vector<Key> keys{1, 2, 3};
          auto held = worker.intend(table, keys, Tick{0}, Tick{9}).value();
          EXPECT_EQ(said(worker.open(held)), "");
          for (int i = 0; i < 2; ++i) EXPECT_EQ(said(worker.advance()), "");
          EXPECT_TRUE(held.is_ready());
          EXPECT_THAT(said(worker.advance()), HasSubstr("lease of 3 keys, waiting for worker 0"));
          EXPECT_FALSE(held.is_ready());
          EXPECT_THAT(said(worker.open(held)), HasSubstr("lease of 3 keys, waiting for worker 0"));
          is_over = true;
        }
        while (!is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        { const Worker gone = std::move(worker); }
        ASSERT_EQ(said(session.close()), "");
      },
      1, std::chrono::seconds(1));
}

TEST(Ticks, ANumberOfWorkersThatCannotBeIsRefused) {
  const auto opened = Session::open({.workers = -1});
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message(), HasSubstr("workers is -1, but must be 0 to"));
}

TEST(Ticks, WhoEndsIsNotWaitedForAndWhoJoinsBeginsWhereTheOthersAre) {
  run_job(2, "ticks-join", [&](Session& session) {
    const Table table = session.table(spec(0)).value();
    const bool is_first = session.node() == NodeId{0};
    {
      Worker worker = session.worker().value();
      for (int i = 0; i < (is_first ? 20 : 3); ++i) ASSERT_EQ(said(worker.advance()), "");
      if (is_first) {
        ASSERT_TRUE(session.barrier().ok());  // node 1 has no worker now
        ASSERT_TRUE(session.barrier().ok());  // and one again
        for (int i = 0; i < 5; ++i) ASSERT_EQ(said(worker.advance()), "");
      }
    }
    if (!is_first) {
      ASSERT_TRUE(session.barrier().ok());
      Worker worker = session.worker().value();
      EXPECT_EQ(worker.tick(), Tick{20});
      Worker another = session.worker().value();
      EXPECT_EQ(another.tick(), Tick{20});
      { const Worker gone = std::move(another); }
      ASSERT_TRUE(session.barrier().ok());
      for (int i = 0; i < 5; ++i) ASSERT_EQ(said(worker.advance()), "");
    }
    ASSERT_EQ(said(session.close()), "");
  });
}

TEST(Ticks, ANodeWithoutWorkersKeepsNobodyWaiting) {
  run_job(
      2, "ticks-idle",
      [&](Session& session) {
        const Table table = session.table(spec(0)).value();
        if (session.node() == NodeId{0}) {
          Worker worker = session.worker().value();
          EXPECT_EQ(worker.tick(), Tick{0});
          for (int i = 0; i < 20; ++i) ASSERT_EQ(said(worker.advance()), "");
        }
        ASSERT_EQ(said(session.close()), "");
      },
      0);
}

TEST(Ticks, ALeaseThatIsHeldOverTicksStaysFresh) {
  run_job(2, "ticks-held", [&](Session& session) {
    const Table table = session.table(spec(0, Placement::kIntent, 2)).value();
    const auto self = static_cast<std::size_t>(session.node().value());
    Worker worker = session.worker().value();
    const std::vector<Key> keys{1, 2, 3, 4, 5, 6, 7, 8};
    auto lease = worker.intend(table, keys, Tick{0}, Tick{40}).value();
    ASSERT_TRUE(worker.open(lease).ok());
    for (int tick = 0; tick < 39; ++tick) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const LeasedRow row = lease[i];
        ASSERT_GE(row.value()[1 - self], static_cast<float>(tick));
        row.value()[self] += 1;
      }
      ASSERT_EQ(said(worker.advance()), "");
    }
    ASSERT_TRUE(worker.close(lease).ok());
    { const Worker gone = std::move(worker); }
    ASSERT_EQ(said(session.close()), "");
  });
}

// Each worker is slow now and then: reads may be older soon, and whoever waited is told.
TEST(Ticks, HowOldAReadMayBeIsFoundOut) {
  TableSpec found = spec(0);
  found.consistency = {.kind = ConsistencyKind::kAuto};
  run_job(2, "ticks-auto", [&](Session& session) {
    const Table table = session.table(found).value();
    Worker worker = session.worker().value();
    const Key key = 3;
    const std::vector<float> one(8, 1);
    std::vector<float> row(8);
    const auto self = session.node().value();
    for (std::int64_t tick = 0; tick < 450; ++tick) {
      ASSERT_EQ(said(worker.pull(table, {&key, 1}, row)), "");
      ASSERT_EQ(said(worker.push(table, {&key, 1}, one)), "");
      ASSERT_EQ(said(worker.report_objective(1.0 / static_cast<double>(1 + tick))), "");
      const bool is_slow = tick % 8 == 4 * self;
      std::this_thread::sleep_for(std::chrono::microseconds(is_slow ? 6000 : 1000));
      ASSERT_EQ(said(worker.advance()), "");
    }
    const auto metrics = session.metrics();
    EXPECT_GE(metrics.at("clock.staleness"), 2);
    EXPECT_LE(metrics.at("clock.staleness"), 16);
    EXPECT_GT(
        metrics.at("clock.worker_0.advance_wait_us") + metrics.at("clock.worker_0.read_wait_us"),
        0);
    EXPECT_THAT(said(worker.report_objective(std::nan(""))), HasSubstr("nan"));
    ASSERT_EQ(said(session.close()), "");
  });
}

}  // namespace
}  // namespace godwit
