// node/lease_test.cc: leases in real jobs: several sessions in one process, over real sockets, with
// several threads each; sums must come out exactly, whatever is hinted.
#include "godwit/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/prng.h"
#include "godwit/session.h"
#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

std::vector<Key> all_keys(std::uint64_t rows) {
  std::vector<Key> keys(rows);
  for (Key key = 0; key < rows; ++key) keys[key] = key;
  return keys;
}

struct Storm {
  Placement placement = Placement::kIntent;
  std::uint64_t rows = 60;
  std::int64_t nodes = 3;
  std::int64_t workers = 2;
  std::int64_t ticks = 300;
};

// Each worker adds 1 to element 0 of rows under leases and 1 to element 1 by pushes, with hints
// that are early, late, wrong or never used. Returns how often it added to each, by row.
void work(Session& session, const Table& table, const Storm& storm, std::uint64_t seed,
          std::vector<float>& added) {
  Worker worker = session.worker().value();
  Prng prng(seed);
  std::vector<std::pair<std::int64_t, Lease>> leases;
  for (std::int64_t tick = 0; tick < storm.ticks; ++tick) {
    std::vector<Key> keys(1 + prng.below(8));
    for (Key& key : keys) key = prng.below(storm.rows);
    const auto first = tick + static_cast<std::int64_t>(prng.below(20)) - 3;
    const auto length = 1 + static_cast<std::int64_t>(prng.below(4));
    leases.emplace_back(first,
                        worker.intend(table, keys, Tick{first}, Tick{first + length}).value());
    for (auto& [begin, lease] : leases) {
      if (begin != tick || prng.below(5) == 0) continue;
      const auto opened = worker.open(lease);
      ASSERT_TRUE(opened.ok()) << opened.error().message();
      for (std::size_t i = 0; i < lease.size(); ++i) lease[i].value()[0] += 1;
      added[0] += static_cast<float>(lease.size());
      if (prng.below(2) == 0) worker.close(lease).value();
    }
    std::erase_if(leases, [&](const auto& lease) { return lease.first + 4 < tick; });
    if (prng.below(3) == 0) {
      std::vector<float> rows(keys.size() * 2);
      for (std::size_t i = 0; i < keys.size(); ++i) rows[2 * i + 1] = 1;
      worker.push(table, keys, rows).value();
      added[1] += static_cast<float>(keys.size());
      std::vector<float> read(keys.size() * 2);
      worker.pull(table, keys, read).value();
      for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_GE(read[2 * i + 1], 1);
    }
    ASSERT_TRUE(worker.advance().ok());
  }
}

void run_storm(const Storm& storm) {
  std::vector<float> added(static_cast<std::size_t>(storm.nodes * storm.workers) * 2);
  run_job(storm.nodes, "storm-" + to_string(storm.placement), [&](Session& session) {
    const Table table =
        session
            .table({.name = "t", .rows = storm.rows, .row_length = 2, .placement = storm.placement})
            .value();
    std::vector<std::vector<float>> mine(static_cast<std::size_t>(storm.workers),
                                         std::vector<float>(2));
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < mine.size(); ++i) {
        threads.emplace_back([&, i] {
          work(session, table, storm, mix64(static_cast<std::uint64_t>(session.node().value()), i),
               mine[i]);
        });
      }
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(session.node().value()) * mine.size() + i;
      added[2 * at] = mine[i][0];
      added[2 * at + 1] = mine[i][1];
    }
    session.barrier().value();
    Worker worker = session.worker().value();
    std::vector<float> values(storm.rows * 2);
    worker.pull(table, all_keys(storm.rows), values).value();
    session.barrier().value();
    std::vector<float> sums(2);
    std::vector<float> expected(2);
    for (std::size_t i = 0; i < values.size(); ++i) sums[i % 2] += values[i];
    for (std::size_t i = 0; i < added.size(); ++i) expected[i % 2] += added[i];
    EXPECT_EQ(sums, expected) << "seen by node " << session.node().value();
    session.close().value();
  });
}

TEST(Lease, SumsAreExactWhateverIsHinted) {
  for (int placement = 0; placement < 6; ++placement) {
    if (static_cast<Placement>(placement) == Placement::kReplicateAll) continue;  // copies stay
    run_storm({.placement = static_cast<Placement>(placement)});
  }
}

TEST(Lease, RowsThatFewShareSumExactlyToo) {
  run_storm({.rows = 2000, .nodes = 4, .workers = 1});
}

TEST(Lease, HotRowsThatAllWant) {
  run_storm({.rows = 3, .nodes = 4, .workers = 1});
}

TEST(Lease, OneNodeAloneHasItsRowsAtOnce) {
  Session session =
      Session::open({.nodes = 1, .rendezvous = "unix:@x", .job = "x", .token = "x"}).value();
  const Table table = session.table({.name = "t", .rows = 10, .row_length = 2}).value();
  Worker worker = session.worker().value();
  const std::vector<Key> keys = {3, 7};
  Lease lease = worker.intend(table, keys, Tick{0}, Tick{1}).value();
  EXPECT_TRUE(lease.is_ready());
  worker.open(lease).value();
  lease[1].value()[0] = 5;
  {
    const LeasedRow row = lease[0];
    row.value()[1] = 2;
  }
  worker.close(lease).value();
  std::vector<float> values(4);
  worker.pull(table, keys, values).value();
  EXPECT_THAT(values, testing::ElementsAre(0, 2, 5, 0));
}

TEST(Lease, WhatIsWrongIsRefused) {
  run_job(2, "wrong", [](Session& session) {
    const Table table = session.table({.name = "t", .rows = 10, .row_length = 1}).value();
    const Table adam =
        session.table({.name = "adam", .rows = 10, .row_length = 1, .rule = Rule::adam(0.1F)})
            .value();
    Worker worker = session.worker().value();
    const std::vector<Key> keys = {1};
    EXPECT_THAT(worker.intend(table, std::vector<Key>{10}, Tick{0}, Tick{1}).error().message(),
                HasSubstr("key 10"));
    EXPECT_THAT(worker.intend(table, keys, Tick{1}, Tick{1}).error().message(),
                HasSubstr("the last must come after the first"));
    Lease old = worker.intend(table, keys, Tick{0}, Tick{1}).value();
    worker.advance().value();
    EXPECT_THAT(worker.open(old).error().message(), HasSubstr("has ended"));
    Lease not_additive = worker.intend(adam, keys, Tick{0}, Tick{9}).value();
    EXPECT_THAT(worker.open(not_additive).error().message(), HasSubstr("pull and push"));
    Lease none;
    EXPECT_FALSE(worker.open(none).ok());
    EXPECT_FALSE(worker.close(none).ok());
    session.close().value();
  });
}

// Or others would wait for the row and keep what the call needs.
TEST(Lease, WhoHoldsARowMustLetGoOfItBeforeItCallsAnythingElse) {
  for (const std::int64_t nodes : {1, 2}) {
    run_job(nodes, "holds-a-row", [&](Session& session) {
      const Table table = session.table({.name = "t", .rows = 10, .row_length = 1}).value();
      Worker worker = session.worker().value();
      Lease lease = worker.intend(table, all_keys(10), Tick{0}, Tick{5}).value();
      Lease next = worker.intend(table, all_keys(10), Tick{0}, Tick{5}).value();
      worker.open(lease).value();
      std::vector<float> value(1);
      const std::vector<Key> one{1};
      {
        const LeasedRow row = lease[0];
        const auto expect = [&](const auto& result) {
          EXPECT_EQ(result.ok(), nodes == 1);
          if (nodes == 1) return;
          EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
          EXPECT_THAT(result.error().message(), HasSubstr("this thread holds 1 row of a lease"));
        };
        expect(worker.pull(table, one, value));
        expect(worker.push(table, one, value));
        expect(worker.set(table, one, value));
        expect(worker.intend(table, one, Tick{0}, Tick{1}));
        expect(worker.open(next));
        expect(worker.advance());
        expect(session.barrier());
      }
      worker.pull(table, one, value).value();
      worker.advance().value();
      worker.close(lease).value();
      worker.close(next).value();
      session.close().value();
    });
  }
}

TEST(LeaseDeathTest, ARowOfALeaseThatIsNotOpenIsABug) {
  Session session =
      Session::open({.nodes = 1, .rendezvous = "unix:@x", .job = "x", .token = "x"}).value();
  const Table table = session.table({.name = "t", .rows = 10, .row_length = 2}).value();
  Worker worker = session.worker().value();
  Lease lease = worker.intend(table, std::vector<Key>{3}, Tick{0}, Tick{1}).value();
  EXPECT_DEATH((void)lease[0], "is_open");
  EXPECT_DEATH((void)lease.pointers(), "is_open");
  worker.open(lease).value();
  EXPECT_DEATH((void)lease[1], "i < size_");
  EXPECT_DEATH((void)lease.pointers(), "kRacy");
  worker.open(lease, Access::kRacy).value();
  ASSERT_EQ(lease.pointers().size(), 1U);
  EXPECT_EQ(lease.pointers()[0], lease[0].value().data());
}

}  // namespace
}  // namespace godwit
