// core/sync_rounds_test.cc: rounds in which the sums of all live groups are applied as one: the
// same groups for all rows of all servers, whoever fails.
#include "core/sync_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "core/groups_fixture.h"

namespace godwit {
namespace {

using std::chrono::seconds;
using testing::Each;
using testing::HasSubstr;

constexpr std::size_t kRows = 8;

std::vector<Key> all_keys() {
  std::vector<Key> keys(kRows);
  std::iota(keys.begin(), keys.end(), Key{0});
  return keys;
}

ExchangeOptions sync(std::uint64_t round, std::uint64_t samples = 1) {
  return {.mode = ExchangeMode::kSync, .round = round, .samples = samples};
}

// Two servers, three groups of one rank each: nodes 2, 3, 4. Rows of one float, which pushes add
// to.
class SyncRoundsTest : public testing::Test {
 protected:
  SyncRoundsTest() {
    cores.join_all(2);
    table = cores.open(2, exchange_spec(Rule::add(), 1, kRows)).value();
  }
  struct Sent {
    std::vector<float> values;
    ExchangeMemory memory;
    std::unique_ptr<RankExchange> exchange;
  };
  // All rows of a group get this sum.
  Sent& send(std::int64_t node, float sum, const ExchangeOptions& options,
             std::vector<Key> keys = all_keys()) {
    sent.push_back(std::make_unique<Sent>());
    Sent& one = *sent.back();
    one.values.assign(keys.size(), sum);
    one.exchange = cores.begin(node, table, options, keys, one.values, one.memory).value();
    return one;
  }
  bool is_done(const Sent& one) {
    cores.run();
    return cores.is_done(*one.exchange);
  }
  ExchangeOutcome end(Sent& one) { return cores.end(*one.exchange).value(); }
  std::vector<float> rows() { return cores.pull(4, table, all_keys(), 1).value(); }

  GroupCores cores{2, 3, {.least = seconds(5), .first = seconds(10)}};
  TableId table;
  std::vector<std::unique_ptr<Sent>> sent;
};

TEST_F(SyncRoundsTest, AllGetTheMeanOfAllOnceAllHaveCome) {
  Sent& a = send(2, 2, sync(1, 1));
  Sent& b = send(3, 4, sync(1, 2));
  EXPECT_FALSE(is_done(a));
  EXPECT_FALSE(is_done(b));
  EXPECT_THAT(rows(), Each(0));
  Sent& c = send(4, 6, sync(1, 1));
  for (Sent* one : {&a, &b, &c}) {
    const ExchangeOutcome outcome = end(*one);
    EXPECT_TRUE(outcome.is_counted);
    EXPECT_EQ(outcome.next_round, 2U);
    EXPECT_THAT(one->values, Each(3));
  }
  EXPECT_THAT(rows(), Each(3));
}

TEST_F(SyncRoundsTest, SumsAreAddedInTheOrderOfGroupsWhoeverCameFirst) {
  // In floats, (1 + 2^24) - 2^24 is 0 and 1 + (2^24 - 2^24) is 1.
  Sent& last = send(4, -0x1p24F, sync(1, 0));
  Sent& second = send(3, 0x1p24F, sync(1, 0));
  Sent& first = send(2, 1, sync(1, 1));
  for (Sent* one : {&first, &second, &last}) end(*one);
  EXPECT_THAT(rows(), Each(0));
}

TEST_F(SyncRoundsTest, AGroupThatIsLostHalfWayCountsForNoRow) {
  send(2, 2, sync(1));
  send(3, 4, sync(1));
  // It has sent one row and was to send others.
  ExchangeOptions part = sync(1);
  part.ends_round = false;
  send(4, 100, part, {0});
  cores.run();
  cores.kill(4);
  cores.pass(seconds(5));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(end(*sent[static_cast<std::size_t>(i)]).is_counted);
    EXPECT_THAT(sent[static_cast<std::size_t>(i)]->values, Each(3));
  }
}

TEST_F(SyncRoundsTest, AGroupThatIsLostWithItsPartDoneCountsForAllRows) {
  send(4, 9, sync(1));
  cores.run();
  cores.kill(4);
  cores.pass(seconds(5));
  send(2, 3, sync(1));
  send(3, 3, sync(1));
  for (int i = 1; i < 3; ++i) EXPECT_TRUE(end(*sent[static_cast<std::size_t>(i)]).is_counted);
  EXPECT_THAT(sent[1]->values, Each(5));
}

TEST_F(SyncRoundsTest, WhoShowsNoProgressIsNotWaitedForAndIsToldWhereOthersAre) {
  Sent& a = send(2, 2, sync(1));
  Sent& b = send(3, 4, sync(1));
  cores.run();
  cores.pass(seconds(11));
  EXPECT_TRUE(end(a).is_counted);
  EXPECT_TRUE(end(b).is_counted);
  EXPECT_THAT(a.values, Each(3));
  Sent& late = send(4, 100, sync(1));
  const ExchangeOutcome outcome = end(late);
  EXPECT_FALSE(outcome.is_counted);
  EXPECT_EQ(outcome.next_round, 2U);
  EXPECT_THAT(late.values, Each(3));
  // It takes part again, and is waited for once it has shown that it computes.
  cores.progress(4, 1);
  Sent& next_a = send(2, 2, sync(2));
  Sent& next_b = send(3, 4, sync(2));
  EXPECT_FALSE(is_done(next_a));
  Sent& next_late = send(4, 6, sync(2));
  EXPECT_TRUE(end(next_late).is_counted);
  EXPECT_THAT(next_late.values, Each(7));
  end(next_a);
  end(next_b);
}

TEST_F(SyncRoundsTest, WhoWaitsForOthersIsNotTakenForStuck) {
  Sent& a = send(2, 2, sync(1));
  Sent& b = send(3, 4, sync(1));
  cores.run();
  for (int i = 0; i < 6; ++i) {
    cores.progress(4, static_cast<std::uint64_t>(i));
    cores.pass(seconds(4));
  }
  EXPECT_FALSE(is_done(a));
  EXPECT_EQ(cores.core(0).groups().view().live.size(), 3U);
  Sent& c = send(4, 6, sync(1));
  for (Sent* one : {&a, &b, &c}) EXPECT_TRUE(end(*one).is_counted);
}

TEST_F(SyncRoundsTest, ARankThatComesBackEntersTheRoundThatIsGoingOn) {
  for (std::uint64_t round = 1; round <= 2; ++round) {
    std::vector<Sent*> all;
    for (std::int64_t node = 2; node <= 4; ++node) all.push_back(&send(node, 3, sync(round)));
    for (Sent* one : all) end(*one);
  }
  cores.kill(4);
  cores.restart(4);
  const Waits::Outcome joined = cores.finish(4, cores.begin_join(4, {.group = 2}));
  ASSERT_FALSE(joined.error.has_value());
  EXPECT_EQ(cores.core(4).groups().joined().round, 3U);
  Sent& a = send(2, 3, sync(3));
  Sent& b = send(3, 3, sync(3));
  EXPECT_FALSE(is_done(a));
  table = cores.open(4, exchange_spec(Rule::add(), 1, kRows)).value();
  Sent& c = send(4, 9, sync(3));
  for (Sent* one : {&a, &b, &c}) EXPECT_TRUE(end(*one).is_counted);
  EXPECT_THAT(rows(), Each(11));
}

TEST_F(SyncRoundsTest, NobodyWaitsForAnAnswerOfAnotherLife) {
  send(4, 100, sync(1));
  cores.run();
  EXPECT_EQ(cores.core(0).groups().rounds().waiting() + cores.core(1).groups().rounds().waiting(),
            2U);
  cores.kill(4);
  cores.restart(4);
  EXPECT_EQ(cores.core(0).groups().rounds().waiting() + cores.core(1).groups().rounds().waiting(),
            0U);
}

TEST_F(SyncRoundsTest, RowsOfSeveralCallsAndTablesEndTogether) {
  TableSpec spec = exchange_spec(Rule::add(), 1, kRows);
  spec.name = "others";
  const TableId first = table;
  const TableId other = cores.open(2, spec).value();
  std::vector<Sent*> all;
  for (std::int64_t node = 2; node <= 4; ++node) {
    ExchangeOptions part = sync(1);
    part.ends_round = false;
    table = first;
    all.push_back(&send(node, 3, part, {0, 1}));
    all.push_back(&send(node, 6, part, {2, 3, 4, 5, 6, 7}));
    EXPECT_FALSE(is_done(*all.back()));
    table = other;
    all.push_back(&send(node, 9, sync(1)));
  }
  for (Sent* one : all) EXPECT_TRUE(end(*one).is_counted);
  EXPECT_THAT(rows(), Each(9));
  table = first;
  EXPECT_EQ(rows(), (std::vector<float>{3, 3, 6, 6, 6, 6, 6, 6}));
}

TEST_F(SyncRoundsTest, RoundsThatCannotBeAreRefused) {
  Sent& far = send(2, 1, sync(7));
  const Waits::Outcome outcome = cores.finish(2, far.exchange->ticket);
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_THAT(outcome.error->message(), HasSubstr("round 7, but this is round 1"));
  std::vector<float> values(1);
  ExchangeMemory memory;
  EXPECT_FALSE(cores.begin(2, table, sync(0), std::array{Key{0}}, values, memory).ok());
}

TEST_F(SyncRoundsTest, CompressedSumsAllArriveInTheEnd) {
  std::array<ExchangeMemory, 3> memories;
  std::array<std::vector<float>, 3> values;
  double total = 0;
  for (std::uint64_t round = 1; round <= 40; ++round) {
    std::vector<std::unique_ptr<RankExchange>> all;
    for (std::size_t group = 0; group < 3; ++group) {
      const float sum = round <= 5 ? 0.1F * static_cast<float>(group + round) : 0.0F;
      total += double{sum} / 3;
      values[group].assign(kRows, sum);
      ExchangeOptions options = sync(round);
      options.compression.codec = ExchangeCodec::kInt8;
      all.push_back(cores
                        .begin(2 + static_cast<std::int64_t>(group), table, options, all_keys(),
                               values[group], memories[group])
                        .value());
    }
    for (auto& one : all) ASSERT_TRUE(cores.end(*one).ok());
  }
  EXPECT_THAT(rows(), Each(testing::FloatNear(static_cast<float>(total), 1e-4F)));
  EXPECT_THAT(values[0], Each(testing::FloatNear(static_cast<float>(total), 1e-3F)));
}

// Else it would wait as long as its caller has patience: nobody is left to end the round.
TEST(SyncRounds, ARankThatWaitsForOneOfItsOwnIsLetGo) {
  GroupCores cores(2, 2, {.least = seconds(5), .first = seconds(10)});
  const TicketId first = cores.begin_join(2, {.group = 0, .rank = 0, .size = 2});
  const TicketId second = cores.begin_join(3, {.group = 0, .rank = 1, .size = 2});
  cores.finish(2, first);
  cores.finish(3, second);
  const TableId table = cores.open(2, exchange_spec(Rule::add(), 1, kRows)).value();
  ExchangeMemory memory;
  std::vector<float> values(kRows, 4);
  const auto keys = all_keys();
  auto alone = cores.begin(2, table, sync(1), keys, values, memory).value();
  cores.run();
  EXPECT_FALSE(cores.is_done(*alone));
  cores.pass(seconds(10));
  const ExchangeOutcome outcome = cores.end(*alone).value();
  EXPECT_FALSE(outcome.is_counted);
  EXPECT_EQ(outcome.next_round, 2U);
  EXPECT_THAT(values, Each(0));
}

// Two ranks, which send different rows.
TEST(SyncRounds, AGroupIsThereWhenAllItsRanksAre) {
  GroupCores cores(2, 3);
  const TicketId first = cores.begin_join(2, {.group = 0, .rank = 0, .size = 2});
  const TicketId second = cores.begin_join(3, {.group = 0, .rank = 1, .size = 2});
  cores.finish(2, first);
  cores.finish(3, second);
  cores.finish(4, cores.begin_join(4, {.group = 1}));
  const TableId table = cores.open(2, exchange_spec(Rule::add(), 1, kRows)).value();
  std::array<ExchangeMemory, 3> memory;
  std::vector<float> a{2, 2, 2, 2};
  std::vector<float> b{2, 2, 2, 2};
  std::vector<float> c(kRows, 4);
  const auto keys = all_keys();
  auto whole = cores.begin(4, table, sync(1), keys, c, memory[2]).value();
  auto low = cores.begin(2, table, sync(1), std::span(keys).first(4), a, memory[0]).value();
  cores.run();
  EXPECT_FALSE(cores.is_done(*whole));
  auto high = cores.begin(3, table, sync(1), std::span(keys).last(4), b, memory[1]).value();
  EXPECT_TRUE(cores.end(*whole).ok());
  EXPECT_TRUE(cores.end(*low).ok());
  EXPECT_TRUE(cores.end(*high).ok());
  EXPECT_THAT(c, Each(3));
  EXPECT_THAT(a, Each(3));
}

}  // namespace
}  // namespace godwit
