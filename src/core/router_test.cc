// core/router_test.cc: rows are read and changed wherever they are, over three wired nodes.
#include "core/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/core_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kLength = 2;
const TableSpec kSpec{.name = "t", .rows = 1000, .row_length = kLength};

class RouterTest : public testing::Test {
 protected:
  void make(const WiredCores::Options& options) {
    cores_.emplace(options);
    cores_->connect();
    table_ = cores_->open(0, kSpec).value();
  }
  void SetUp() override { make({}); }

  WiredCores& cores() { return *cores_; }
  std::vector<Key> keys_of(std::int64_t node, std::size_t count) {
    return cores().keys_of(node, table_, count);
  }
  // Two of each node, mixed.
  std::vector<Key> mixed_keys() {
    std::vector<Key> keys;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::int64_t node = 0; node < 3; ++node) {
        keys.push_back(keys_of(node, 2)[node == 1 ? 1 - i : i]);
      }
    }
    return keys;
  }
  // Row i is (10 i, 10 i + 1).
  static std::vector<float> rows_of(std::size_t count) {
    std::vector<float> floats(count * kLength);
    for (std::size_t i = 0; i < floats.size(); ++i) {
      const std::size_t row = i / kLength;
      floats[i] = static_cast<float>(10 * row + i % kLength);
    }
    return floats;
  }
  std::vector<float> pull(std::int64_t node, std::span<const Key> keys) {
    return cores().pull(node, table_, keys, kLength).value();
  }
  Result<> push(std::int64_t node, std::span<const Key> keys, std::span<const float> floats,
                PushMode mode = PushMode::kPush) {
    return cores().push(node, table_, keys, floats, kLength, mode);
  }
  // A request of node 1 that arrives at node 0; the answer's ticket.
  TicketId send_to_0(const std::function<std::shared_ptr<Frame>(std::uint64_t number)>& write,
                     std::uint64_t count, std::uint32_t row_length);

  std::optional<WiredCores> cores_;
  TableId table_{0};
};

TicketId RouterTest::send_to_0(
    const std::function<std::shared_ptr<Frame>(std::uint64_t number)>& write, std::uint64_t count,
    std::uint32_t row_length) {
  NodeCore& origin = cores().core(1);
  const TicketId ticket = origin.waits().reserve();
  static constexpr std::array<std::uint32_t, 16> kPositions{};
  std::vector<OutgoingRequest> requests;
  requests.push_back(
      {NodeId{0}, std::span(kPositions).first(count), write(Waits::wire_number(ticket, 0))});
  origin.send(ticket, {"request", count}, table_, {}, row_length, std::move(requests));
  return ticket;
}

// What one node sets, each node reads, and each node's additions add up.
TEST_F(RouterTest, RowsAreReadAndChangedWhereverTheyAre) {
  const std::vector<Key> keys = mixed_keys();
  const std::vector<float> rows = rows_of(keys.size());
  ASSERT_TRUE(push(1, keys, rows, PushMode::kSetResetState).ok());
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_EQ(pull(node, keys), rows) << node;
  const std::vector<float> ones(rows.size(), 1);
  std::vector<float> sum = rows;
  for (std::int64_t node = 0; node < 3; ++node) {
    ASSERT_TRUE(push(node, keys, ones).ok());
    for (float& value : sum) ++value;
    EXPECT_EQ(pull((node + 1) % 3, keys), sum);
  }
  for (std::int64_t node = 0; node < 3; ++node) EXPECT_EQ(cores().core(node).waits().open(), 0);
}

TEST_F(RouterTest, EachNodeAnswersForItsOwnRows) {
  const std::vector<Key> keys = mixed_keys();
  push(0, keys, rows_of(keys.size())).value();
  for (std::int64_t node = 0; node < 3; ++node) {
    EXPECT_EQ(cores().tables(node).find(table_)->stats().resident_rows, 2) << node;
  }
}

TEST_F(RouterTest, LocalKeysCauseNoFrames) {
  const std::vector<Key> keys = keys_of(2, 4);
  KeySplit split;
  const Router& router = cores().core(2).router();
  split.by(keys, 3, [&](Key key) { return router.first_hop(table_, key); });
  EXPECT_TRUE(split.is_all(NodeId{2}));
  EXPECT_TRUE(router.is_mine(table_, keys[0]));
  EXPECT_FALSE(router.is_mine(table_, keys_of(1, 1)[0]));
  EXPECT_THAT(router.write_pulls(TicketId{1}, table_, keys, kLength, split.groups()), IsEmpty());
}

TEST_F(RouterTest, AWrongFirstGuessChangesNoResult) {
  for (std::int64_t shift = 1; shift <= 2; ++shift) {
    // Of node 0, which alone asks here: never itself.
    make({.first_guess = [shift](TableId table, Key key) {
      const NodeId home = PartitionMap(3).home(table, key);
      const NodeId guess{(home.value() + shift) % 3};
      return guess == NodeId{0} ? home : guess;
    }});
    const std::vector<Key> keys = mixed_keys();
    const std::vector<float> rows = rows_of(keys.size());
    ASSERT_TRUE(push(0, keys, rows, PushMode::kSetResetState).ok());
    EXPECT_EQ(pull(0, keys), rows);
    ASSERT_TRUE(push(0, keys, rows).ok());
    std::vector<float> doubled = rows;
    for (float& value : doubled) value *= 2;
    EXPECT_EQ(pull(0, keys), doubled);
  }
}

TEST_F(RouterTest, AMisroutedBatchIsTakenApartAndEachPartAnswered) {
  // Node 0 asks node 1 for everything, also for what node 1 has to send on.
  make({.first_guess = [](TableId, Key) { return NodeId{1}; }});
  const std::vector<Key> keys = mixed_keys();
  const std::vector<float> rows = rows_of(keys.size());
  ASSERT_TRUE(push(0, keys, rows, PushMode::kSetResetState).ok());
  EXPECT_EQ(pull(0, keys), rows);
}

// A request whose key came home to its origin while it was on its way.
TEST_F(RouterTest, ARequestMayComeBackToItsOrigin) {
  const std::vector<Key> keys{keys_of(1, 1)[0], keys_of(0, 1)[0], keys_of(2, 1)[0]};
  const std::vector<float> rows = rows_of(3);
  const TicketId pushed = send_to_0(
      [&](std::uint64_t number) {
        return make_frame(kFirstTerm, Push{.request = number,
                                           .origin = NodeId{1},
                                           .table = table_,
                                           .row_length = kLength,
                                           .keys = keys,
                                           .floats = rows});
      },
      3, 0);
  EXPECT_FALSE(cores().finish(1, pushed).error);
  EXPECT_EQ(pull(2, keys), rows);
  const TicketId pulled = send_to_0(
      [&](std::uint64_t number) {
        return make_frame(
            kFirstTerm,
            Pull{.request = number, .origin = NodeId{1}, .table = table_, .keys = keys});
      },
      3, kLength);
  const Waits::Outcome outcome = cores().finish(1, pulled);
  ASSERT_FALSE(outcome.error);
  ASSERT_EQ(outcome.answers.size(), 3);
  for (const Arrived& answer : outcome.answers) {
    ASSERT_EQ(answer.positions.size(), 1);
    const std::size_t first = std::size_t{2} * answer.positions[0];
    EXPECT_THAT(answer.values, ElementsAre(rows[first], rows[first + 1]));
  }
}

TEST_F(RouterTest, ChangesOfARepeatedKeyStayInOrder) {
  const Key there = keys_of(1, 1)[0];
  const Key here = keys_of(0, 1)[0];
  const std::vector<Key> keys{there, here, there, here, there};
  ASSERT_TRUE(push(0, keys, rows_of(5), PushMode::kSetResetState).ok());
  EXPECT_THAT(pull(2, std::vector<Key>{there, here, there}), ElementsAre(40, 41, 30, 31, 40, 41));
}

TEST_F(RouterTest, AnUnknownTableIsRefused) {
  const std::vector<Key> keys{1};
  const std::vector<float> row = rows_of(1);
  const TableId unknown{77};
  const TicketId pulled = send_to_0(
      [&](std::uint64_t number) {
        return make_frame(
            kFirstTerm,
            Pull{.request = number, .origin = NodeId{1}, .table = unknown, .keys = keys});
      },
      1, kLength);
  const Waits::Outcome outcome = cores().finish(1, pulled);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code(), ErrorCode::kNotFound);
  EXPECT_EQ(outcome.error->message(), "node 0: node 0 has no table 77");
  const TicketId pushed = send_to_0(
      [&](std::uint64_t number) {
        return make_frame(kFirstTerm, Push{.request = number,
                                           .origin = NodeId{1},
                                           .table = unknown,
                                           .row_length = kLength,
                                           .keys = keys,
                                           .floats = row});
      },
      1, 0);
  EXPECT_EQ(cores().finish(1, pushed).error->code(), ErrorCode::kNotFound);
}

TEST_F(RouterTest, AKeyOutOfRangeIsRefusedByItsOwner) {
  Key outside = kSpec.rows;
  while (cores().core(0).map().home(table_, outside) != NodeId{2}) ++outside;
  const std::vector<Key> keys{keys_of(2, 1)[0], outside};
  const auto pulled = cores().pull(0, table_, keys, kLength);
  ASSERT_FALSE(pulled.ok());
  EXPECT_EQ(pulled.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(pulled.error().message(), HasSubstr("node 2: "));
  const auto pushed = push(0, keys, std::vector<float>(4, 1));
  ASSERT_FALSE(pushed.ok());
  EXPECT_EQ(pushed.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(pull(2, keys_of(2, 1)), ElementsAre(0, 0)) << "nothing was changed";
}

TEST_F(RouterTest, RowsOfAnotherLengthAreRefused) {
  const std::vector<Key> keys = keys_of(2, 1);
  EXPECT_EQ(cores().push(0, table_, keys, std::vector<float>(3), 3).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(RouterTest, AHugeBatchTravelsAsSeveralRequests) {
  const std::uint32_t length = 1 << 16;  // 256 KB: 15 rows and their keys fit into 4 MB
  const TableSpec spec{.name = "wide", .rows = 100, .row_length = length};
  const TableId wide = cores().open(1, spec).value();
  const std::vector<Key> keys = cores().keys_of(2, wide, 20);
  std::vector<float> floats(keys.size() * length);
  std::iota(floats.begin(), floats.end(), 0.0F);
  KeySplit split;
  split.by(keys, 3, [](Key) { return NodeId{2}; });
  const auto requests =
      cores().core(0).router().write_pulls(TicketId{1}, wide, keys, length, split.groups());
  ASSERT_EQ(requests.size(), 2);
  EXPECT_EQ(requests[0].positions.size(), 15);
  EXPECT_EQ(requests[1].positions.size(), 5);
  EXPECT_EQ(requests[1].positions[0], 15);
  ASSERT_TRUE(cores().push(0, wide, keys, floats, length).ok());
  EXPECT_EQ(cores().pull(0, wide, keys, length).value(), floats);
}

TEST_F(RouterTest, AnAnswerThatWouldNotFitIntoAFrameIsRefused) {
  const std::uint32_t length = 1 << 16;
  const TableId wide = cores().open(1, {.name = "wide", .rows = 10, .row_length = length}).value();
  const std::vector<Key> keys(1024, cores().keys_of(0, wide, 1)[0]);
  const TicketId ticket = send_to_0(
      [&](std::uint64_t number) {
        return make_frame(
            kFirstTerm, Pull{.request = number, .origin = NodeId{1}, .table = wide, .keys = keys});
      },
      1, length);
  const Waits::Outcome outcome = cores().finish(1, ticket);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(outcome.error->message(), HasSubstr("1024 rows of 65536 floats do not fit"));
}

// What a node says of itself is checked: it must be able to hear the answer, and to have asked.
TEST_F(RouterTest, AnOriginThatCannotBeIsCorruption) {
  const std::vector<Key> keys = keys_of(0, 1);
  const std::vector<float> row = rows_of(1);
  const auto loss_by = [&](std::int64_t origin, bool is_pull) {
    make({});
    const auto frame =
        is_pull ? make_frame(kFirstTerm, Pull{.request = Waits::wire_number(TicketId{500}, 0),
                                              .origin = NodeId{origin},
                                              .table = table_,
                                              .keys = keys})
                : make_frame(kFirstTerm, Push{.request = Waits::wire_number(TicketId{500}, 0),
                                              .origin = NodeId{origin},
                                              .table = table_,
                                              .row_length = kLength,
                                              .keys = keys,
                                              .floats = row});
    cores().core(0).on_frame(NodeId{1}, frame, cores().now);
    return cores().core(0).members().is_lost(NodeId{1});
  };
  for (const bool is_pull : {true, false}) {
    EXPECT_TRUE(loss_by(3, is_pull));
    EXPECT_TRUE(loss_by(4'000'000'000, is_pull));
    EXPECT_TRUE(loss_by(0, is_pull)) << "node 0 never asked this";
    EXPECT_FALSE(loss_by(2, is_pull));
  }
}

}  // namespace
}  // namespace godwit
