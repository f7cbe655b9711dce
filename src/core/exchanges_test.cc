// core/exchanges_test.cc: rows of groups and of tables come together: every mode, with and without
// compression, and what is refused.
#include "core/exchanges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/prng.h"
#include "core/groups_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

constexpr ExchangeOptions kElastic{.mode = ExchangeMode::kElastic};
constexpr ExchangeOptions kOuter{.mode = ExchangeMode::kOuter};
constexpr ExchangeOptions kAsync{.mode = ExchangeMode::kAsync};

std::vector<Key> first_keys(std::size_t count) {
  std::vector<Key> keys(count);
  std::iota(keys.begin(), keys.end(), Key{0});
  return keys;
}

TEST(Exchanges, ElasticTakesFromTheOneWhatItGivesToTheOther) {
  GroupCores cores(2, 2);
  cores.join_all(2);
  const TableId table = cores.open(2, exchange_spec(Rule::elastic(0.5F), 1, 4)).value();
  const std::vector<Key> keys = first_keys(4);
  std::vector<float> values{8, 16, -8, 0};
  const ExchangeOutcome outcome = cores.exchange(2, table, kElastic, keys, values).value();
  EXPECT_EQ(outcome.live_groups, 2);
  EXPECT_EQ(outcome.alpha, 0.25F);
  EXPECT_EQ(values, (std::vector<float>{6, 12, -6, 0}));
  EXPECT_EQ(cores.pull(3, table, keys, 1).value(), (std::vector<float>{2, 4, -2, 0}));
}

TEST(Exchanges, AlphaFollowsTheLiveGroups) {
  GroupCores cores(1, 3);
  cores.join_all(1);
  const TableId table = cores.open(1, exchange_spec(Rule::elastic(0.9F))).value();
  std::vector<float> values(4);
  EXPECT_FLOAT_EQ(cores.exchange(1, table, kElastic, std::array{Key{0}}, values).value().alpha,
                  0.3F);
  cores.core(2).groups().leave(cores.now);
  cores.run();
  EXPECT_FLOAT_EQ(cores.exchange(1, table, kElastic, std::array{Key{0}}, values).value().alpha,
                  0.45F);
  // Who has left counts when it exchanges, beside those that are live.
  EXPECT_FLOAT_EQ(cores.exchange(2, table, kElastic, std::array{Key{0}}, values).value().alpha,
                  0.3F);
}

TEST(Exchanges, OuterStepsHaveMomentum) {
  GroupCores cores(1, 1);
  cores.join_all(1);
  const TableId table = cores.open(1, exchange_spec(Rule::outer(0.5F, 0.5F), 1, 1)).value();
  const std::array<Key, 1> key{0};
  std::vector<float> values{4};
  ASSERT_TRUE(cores.exchange(1, table, kOuter, key, values).ok());
  // d = 4, m = 4, c = 0.5 * (4 + 0.5 * 4).
  EXPECT_EQ(values[0], 3);
  values[0] = 5;
  ASSERT_TRUE(cores.exchange(1, table, kOuter, key, values).ok());
  // d = 2, m = 0.5 * 4 + 2, c += 0.5 * (2 + 0.5 * 4).
  EXPECT_EQ(values[0], 5);
}

TEST(Exchanges, AsyncGradientsAreAppliedAtOnce) {
  GroupCores cores(2, 2);
  cores.join_all(2);
  const TableId table = cores.open(2, exchange_spec(Rule::sgd(0.5F), 1, 4)).value();
  const std::vector<Key> keys = first_keys(4);
  std::vector<float> mine{2, 4, 6, 8};
  ASSERT_TRUE(cores.exchange(2, table, kAsync, keys, mine).ok());
  EXPECT_EQ(mine, (std::vector<float>{-1, -2, -3, -4}));
  std::vector<float> theirs{2, 2, 2, 2};
  ASSERT_TRUE(cores.exchange(3, table, kAsync, keys, theirs).ok());
  EXPECT_EQ(theirs, (std::vector<float>{-2, -3, -4, -5}));
}

TEST(Exchanges, ANodeThatOwnsRowsExchangesWithItself) {
  GroupCores cores(1, 0);
  ASSERT_FALSE(cores.finish(0, cores.begin_join(0, {})).error);
  const TableId table = cores.open(0, exchange_spec(Rule::elastic(0.5F), 1, 4)).value();
  std::vector<float> values{8};
  ASSERT_TRUE(cores.exchange(0, table, kElastic, std::array{Key{3}}, values).ok());
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(cores.row(table, 3), std::vector<float>{4});
}

// What is refused has changed nothing.
class Refusals : public testing::Test {
 protected:
  Refusals() {
    cores.join_all(2);
    table = cores.open(2, exchange_spec(Rule::elastic(0.5F), 2, 8)).value();
  }
  std::string refusal(const ExchangeOptions& options, std::span<const Key> keys,
                      std::vector<float> values) {
    const std::vector<float> before = values;
    const auto outcome = cores.exchange(2, table, options, keys, values);
    EXPECT_EQ(values.size(), before.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(values[i] == before[i] || std::isnan(before[i]));
    }
    for (Key key = 0; key < 8; ++key) EXPECT_EQ(cores.row(table, key), (std::vector<float>(2)));
    if (outcome.ok()) return "";
    EXPECT_EQ(outcome.error().code(), ErrorCode::kInvalidArgument);
    return outcome.error().message();
  }
  // By the owner, for who does not check.
  std::string owner_refusal(Exchange exchange, std::span<const Key> keys,
                            std::span<const std::uint32_t> words) {
    const TicketId ticket = cores.core(2).waits().reserve();
    exchange.request = Waits::wire_number(ticket, 0);
    exchange.table = exchange.table == TableId{0} ? table : exchange.table;
    exchange.keys = keys;
    exchange.words = words;
    std::vector<OutgoingRequest> requests;
    const std::vector<std::uint32_t> positions(keys.size());
    requests.push_back({home(keys[0]), positions, make_frame(kFirstTerm, exchange)});
    cores.core(2).exchange(ticket, {"exchange"}, std::move(requests), {}, cores.now);
    const Waits::Outcome outcome = cores.finish(2, ticket);
    for (Key key = 0; key < 8; ++key) EXPECT_EQ(cores.row(table, key), (std::vector<float>(2)));
    EXPECT_FALSE(cores.core(2).failure().has_value());
    return outcome.error ? outcome.error->message() : "";
  }
  NodeId home(Key key) { return cores.core(0).map().home(table, key); }

  GroupCores cores{2, 2};
  TableId table;
};

TEST_F(Refusals, BeforeAnythingIsSent) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::array<Key, 1> key{1};
  EXPECT_THAT(refusal(kElastic, key, {1, nan}), HasSubstr("NaN"));
  EXPECT_THAT(refusal(kElastic, key, {1, 2, 3}), HasSubstr("3 values for 1 rows of 2"));
  EXPECT_THAT(refusal(kElastic, std::array{Key{8}}, {1, 2}), HasSubstr("key 8 is not in table"));
  EXPECT_THAT(refusal(kElastic, std::array{Key{2}, Key{2}}, {1, 2, 3, 4}), HasSubstr("must rise"));
  EXPECT_THAT(refusal(kAsync, key, {1, 2}), HasSubstr("rule elastic:beta=0.5, which exchanges"));
  EXPECT_THAT(refusal(kOuter, key, {1, 2}), HasSubstr("mode outer"));
  EXPECT_THAT(refusal({.compression = {.codec = ExchangeCodec::kTopK, .share = 2}}, key, {1, 2}),
              HasSubstr("share"));
}

TEST_F(Refusals, ByTheOwnerOfTheRows) {
  const std::array<Key, 1> key{1};
  const std::array<std::uint32_t, 2> words{};
  const Exchange good{.codec = {.floats = 2}};
  Exchange bad = good;
  bad.table = TableId{99};
  EXPECT_THAT(owner_refusal(bad, key, words), HasSubstr("no table 99"));
  bad = good;
  bad.mode = ExchangeMode::kAsync;
  EXPECT_THAT(owner_refusal(bad, key, words), HasSubstr("do not go with"));
  bad = good;
  bad.codec.floats = 1;
  EXPECT_THAT(owner_refusal(bad, key, std::array{0U}), HasSubstr("whose rows have 2"));
  bad = good;
  bad.is_whole = false;
  EXPECT_THAT(owner_refusal(bad, key, words), HasSubstr("is not known to know row 1"));
  EXPECT_THAT(owner_refusal(good, key, std::array{0U, 0x7fc00000U}), HasSubstr("NaN"));
  EXPECT_THAT(owner_refusal(good, std::array{Key{9}}, words), HasSubstr("key 9"));
  const Key other = home(0) == home(1) ? (home(0) == home(2) ? 3 : 2) : 0;
  if (home(other) != home(1)) {
    const std::array<Key, 2> both{std::min(other, Key{1}), std::max(other, Key{1})};
    EXPECT_THAT(owner_refusal(good, both, std::array{0U, 0U, 0U, 0U}), HasSubstr("is not on node"));
  }
  bad = good;
  bad.codec = {.codec = ExchangeCodec::kTopK, .floats = 2, .kept = 1};
  EXPECT_THAT(owner_refusal(bad, key, std::array{7U, 0U}), HasSubstr("places"));
}

TEST_F(Refusals, OfTablesWhoseRowsDoNotStay) {
  TableSpec spec = exchange_spec(Rule::elastic());
  spec.placement = Placement::kIntent;
  EXPECT_THAT(check_exchange_table(spec, ExchangeMode::kElastic).error().message(),
              HasSubstr("needs static and async"));
}

// With less than fp32, nothing is lost to the sums, and both sides know the same.
class Compressed : public testing::TestWithParam<const char*> {
 protected:
  static constexpr std::size_t kRows = 6;
  static constexpr std::size_t kLength = 16;

  Compression compression() const { return Compression::parse(GetParam()).value(); }
  void start(const Rule& rule) {
    cores.join_all(2);
    table = cores.open(2, exchange_spec(rule, kLength, kRows)).value();
  }
  std::vector<float> centre() { return cores.pull(3, table, first_keys(kRows), kLength).value(); }

  GroupCores cores{2, 2};
  TableId table;
};

TEST_P(Compressed, ElasticConservesTheSum) {
  start(Rule::elastic(0.5F));
  Prng prng(3);
  std::vector<std::vector<float>> held(2, std::vector<float>(kRows * kLength));
  std::array<ExchangeMemory, 2> memories;
  // Multiples of 1/64 and no more than a few bits: sums are exact, whatever is sent.
  std::vector<double> total(kRows * kLength);
  for (int round = 0; round < 40; ++round) {
    for (std::size_t group = 0; group < 2; ++group) {
      for (std::size_t i = 0; i < held[group].size() && round < 10; ++i) {
        const float step = static_cast<float>(prng.below(9)) - 4;
        held[group][i] += step;
        total[i] += step;
      }
      const ExchangeOptions options{.compression = compression()};
      const auto done = cores.exchange(2 + static_cast<std::int64_t>(group), table, options,
                                       first_keys(kRows), held[group], memories[group]);
      ASSERT_TRUE(done.ok()) << done.error().message();
    }
  }
  const std::vector<float> end = centre();
  for (std::size_t i = 0; i < total.size(); ++i) {
    EXPECT_NEAR(double{end[i]} + double{held[0][i]} + double{held[1][i]}, total[i], 1e-4);
    EXPECT_NEAR(end[i], total[i] / 3, std::abs(total[i]) * 0.05 + 0.2) << "all come together";
  }
}

TEST_P(Compressed, AsyncGradientsAllArriveInTheEnd) {
  start(Rule::add());
  Prng prng(4);
  std::vector<double> total(kRows * kLength);
  ExchangeMemory memory;
  std::vector<float> values(kRows * kLength);
  const ExchangeOptions options{.mode = ExchangeMode::kAsync, .compression = compression()};
  for (int round = 0; round < 60; ++round) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = round < 10 ? static_cast<float>(prng.uniform() - 0.5) : 0.0F;
      total[i] += double{values[i]};
    }
    ASSERT_TRUE(cores.exchange(2, table, options, first_keys(kRows), values, memory).ok());
  }
  const std::vector<float> end = centre();
  for (std::size_t i = 0; i < total.size(); ++i) {
    EXPECT_NEAR(end[i], total[i], 1e-4);
    EXPECT_NEAR(values[i], end[i], 1e-4) << "what came back follows, too";
  }
}

TEST_P(Compressed, OuterFollowsTheCentre) {
  start(Rule::outer(1, 0));
  std::vector<float> values(kRows * kLength, 1);
  ExchangeMemory memory;
  const ExchangeOptions options{.mode = ExchangeMode::kOuter, .compression = compression()};
  for (int round = 0; round < 30; ++round) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] += 0.5F * (static_cast<float>(i % 7) - values[i]);
    }
    ASSERT_TRUE(cores.exchange(2, table, options, first_keys(kRows), values, memory).ok());
  }
  const std::vector<float> end = centre();
  for (std::size_t i = 0; i < end.size(); ++i) {
    EXPECT_NEAR(end[i], static_cast<float>(i % 7), 0.05F);
    EXPECT_NEAR(values[i], end[i], 0.05F);
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, Compressed, testing::Values("fp32", "bf16", "int8", "topk:0.25"),
                         [](const auto& one) {
                           const std::string name = one.param;
                           return name.substr(0, name.find(':'));
                         });

TEST(Exchanges, CompressionSendsFewerBytes) {
  GroupCores cores(1, 1);
  cores.join_all(1);
  const TableId table = cores.open(1, exchange_spec(Rule::elastic(), 1000, 4)).value();
  std::vector<float> values(4000, 1);
  const auto bytes_of = [&](const char* text) {
    ExchangeMemory memory;
    const ExchangeOptions options{.compression = Compression::parse(text).value()};
    cores.exchange(1, table, options, first_keys(4), values, memory).value();
    auto begun = cores.begin(1, table, options, first_keys(4), values, memory).value();
    const std::size_t bytes = cores.on_the_way().back().frame->size();
    cores.end(*begun).value();
    return bytes;
  };
  EXPECT_GT(bytes_of("fp32"), 16'000U);
  EXPECT_LT(bytes_of("bf16"), 8'300U);
  EXPECT_LT(bytes_of("int8"), 4'300U);
  EXPECT_LT(bytes_of("topk:0.01"), 600U);
}

TEST(Exchanges, TwoOfTheSameRowsAreNotUnderWayAtOnceIfCompressed) {
  GroupCores cores(1, 1);
  cores.join_all(1);
  const TableId table = cores.open(1, exchange_spec(Rule::elastic())).value();
  std::vector<float> values(4);
  ExchangeMemory memory;
  const ExchangeOptions options{.compression = {.codec = ExchangeCodec::kInt8}};
  auto first = cores.begin(1, table, options, std::array{Key{0}}, values, memory).value();
  const auto second = cores.begin(1, table, options, std::array{Key{0}}, values, memory);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message(), HasSubstr("under way already"));
  EXPECT_TRUE(cores.end(*first).ok());
}

}  // namespace
}  // namespace godwit
