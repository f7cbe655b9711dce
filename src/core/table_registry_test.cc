// core/table_registry_test.cc: a table is open when all nodes have it, or nowhere.
#include "core/table_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/core_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

const TableSpec kSpec{.name = "t", .rows = 1000, .row_length = 4};
const TableSpec kLarge{.name = "large", .rows = 1'000'000, .row_length = 64};

constexpr std::uint64_t kPlenty = 1U << 30U;
constexpr std::uint64_t kLittle = 1U << 20U;

bool has(WiredCores& cores, std::int64_t node, const TableSpec& spec) {
  return cores.tables(node).find(spec).value().has_value();
}

void expect_nothing_waits(WiredCores& cores) {
  for (std::int64_t node = 0; node < cores.nodes(); ++node) {
    EXPECT_EQ(cores.core(node).waits().open(), 0) << node;
    EXPECT_FALSE(cores.core(node).failure()) << node;
  }
}

TEST(TableRegistry, ATableOpenedByAnyNodeIsOnAllOfThem) {
  for (std::int64_t opener = 0; opener < 3; ++opener) {
    WiredCores cores;
    cores.connect();
    const TableId id = cores.open(opener, kSpec).value();
    for (std::int64_t node = 0; node < 3; ++node) {
      ASSERT_TRUE(has(cores, node, kSpec)) << opener << node;
      EXPECT_EQ(cores.tables(node).find(kSpec).value()->id, id);
    }
    expect_nothing_waits(cores);
  }
}

TEST(TableRegistry, AJobOfOneNodeOpensAtOnce) {
  WiredCores cores({.nodes = 1});
  EXPECT_TRUE(cores.open(0, kSpec).ok());
  EXPECT_TRUE(cores.on_the_way().empty());
}

TEST(TableRegistry, NobodyIsAnsweredBeforeTheLastNodeHasMadeIt) {
  WiredCores cores;
  cores.connect();
  const TicketId ticket = cores.core(0).waits().reserve();
  cores.core(0).open_table(ticket, kSpec);
  // Node 1 makes it and says so; node 2 has not heard yet.
  auto& queue = cores.on_the_way();
  ASSERT_EQ(queue.size(), 2);
  const WiredCores::OnTheWay to_2 = queue.back();
  queue.pop_back();
  ASSERT_EQ(to_2.to, NodeId{2});
  cores.run();
  EXPECT_FALSE(cores.core(0).waits().is_done(ticket));
  queue.push_back(to_2);
  EXPECT_FALSE(cores.finish(0, ticket).error);
}

TEST(TableRegistry, ANameOpenedAgainIsTheSameTable) {
  WiredCores cores;
  cores.connect();
  const TableId id = cores.open(1, kSpec).value();
  EXPECT_EQ(cores.open(1, kSpec).value(), id);
  EXPECT_EQ(cores.open(0, kSpec).value(), id);
  EXPECT_EQ(cores.open(2, kSpec).value(), id);
  TableSpec other = kSpec;
  other.name = "u";
  EXPECT_NE(cores.open(2, other).value(), id);
  expect_nothing_waits(cores);
}

TEST(TableRegistry, NodesThatOpenOneNameAtOnceShareIt) {
  WiredCores cores;
  cores.connect();
  std::vector<TicketId> tickets;
  for (std::int64_t node = 0; node < 3; ++node) {
    tickets.push_back(cores.core(node).waits().reserve());
    cores.core(node).open_table(tickets.back(), kSpec);
  }
  for (std::int64_t node = 0; node < 3; ++node) {
    EXPECT_FALSE(cores.finish(node, tickets[static_cast<std::size_t>(node)]).error);
    EXPECT_EQ(cores.tables(node).find(kSpec).value()->id, TableId{0});
  }
  expect_nothing_waits(cores);
}

TEST(TableRegistry, ANameWithAnotherSpecIsRefused) {
  for (std::int64_t second = 0; second < 3; ++second) {
    WiredCores cores;
    cores.connect();
    ASSERT_TRUE(cores.open(1, kSpec).ok());
    TableSpec other = kSpec;
    other.row_length = 5;
    const auto refused = cores.open(second, other);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message(), HasSubstr("row_length 4 and 5"));
    EXPECT_TRUE(has(cores, second, kSpec)) << "the first one stays";
    expect_nothing_waits(cores);
  }
}

TEST(TableRegistry, ANodeThatCannotMakeItIsNamedAndTheTableIsNowhere) {
  for (std::size_t poor = 0; poor < 3; ++poor) {
    for (std::int64_t opener = 0; opener < 3; ++opener) {
      std::vector<std::uint64_t> memory(3, kPlenty);
      memory[poor] = kLittle;
      WiredCores cores({.memory_bytes = memory});
      cores.connect();
      const auto refused = cores.open(opener, kLarge);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().code(), ErrorCode::kOutOfMemory);
      EXPECT_THAT(refused.error().message(), HasSubstr("node " + std::to_string(poor) + ": "));
      for (std::int64_t node = 0; node < 3; ++node) EXPECT_FALSE(has(cores, node, kLarge));
      expect_nothing_waits(cores);
      TableSpec smaller = kLarge;
      smaller.rows = 10;
      EXPECT_TRUE(cores.open(opener, smaller).ok()) << "the name is free again";
      for (std::int64_t node = 0; node < 3; ++node) EXPECT_TRUE(has(cores, node, smaller));
    }
  }
}

TEST(TableRegistry, AllWhoOpenATableThatFailsAreTold) {
  WiredCores cores({.memory_bytes = {kPlenty, kPlenty, kLittle}});
  cores.connect();
  std::vector<TicketId> tickets;
  for (std::int64_t node = 0; node < 2; ++node) {
    tickets.push_back(cores.core(node).waits().reserve());
    cores.core(node).open_table(tickets.back(), kLarge);
  }
  for (std::int64_t node = 0; node < 2; ++node) {
    const auto outcome = cores.finish(node, tickets[static_cast<std::size_t>(node)]);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code(), ErrorCode::kOutOfMemory);
  }
  expect_nothing_waits(cores);
}

// Who speaks out of turn is lost to the one who heard it; nobody crashes.
template <class Message>
bool is_lost_for(std::int64_t at, std::int64_t from, const Message& message) {
  WiredCores cores;
  cores.connect();
  cores.open(0, kSpec).value();
  cores.core(at).on_frame(NodeId{from}, make_frame(kFirstTerm, message), cores.now);
  return cores.core(at).members().is_lost(NodeId{from});
}

TEST(TableRegistry, OnlyTheCoordinatorHasTablesMadeAndDropped) {
  TableSpec other = kSpec;
  other.name = "u";
  EXPECT_TRUE(is_lost_for(1, 2, MakeTable{.table = TableId{5}, .spec = other}));
  EXPECT_FALSE(is_lost_for(1, 0, MakeTable{.table = TableId{5}, .spec = other}));
  EXPECT_TRUE(is_lost_for(1, 2, DropTable{.table = TableId{0}}));
  EXPECT_TRUE(is_lost_for(1, 2, TableReady{.request = Waits::wire_number(TicketId{1}, 0)}));
}

TEST(TableRegistry, OnlyTheCoordinatorIsAskedForTables) {
  EXPECT_TRUE(is_lost_for(1, 2, OpenTable{.origin = NodeId{2}, .spec = kSpec}));
  EXPECT_TRUE(is_lost_for(0, 2, OpenTable{.origin = NodeId{1}, .spec = kSpec}));
  EXPECT_TRUE(is_lost_for(0, 2, OpenTable{.origin = NodeId{4'000'000'000}, .spec = kSpec}));
  EXPECT_FALSE(is_lost_for(0, 2, OpenTable{.origin = NodeId{2}, .spec = kSpec}));
  EXPECT_TRUE(is_lost_for(1, 2, MadeTable{.table = TableId{0}}));
}

TEST(TableRegistry, AnIdOrNameMadeTwiceIsCorruption) {
  TableSpec other = kSpec;
  other.name = "u";
  EXPECT_TRUE(is_lost_for(1, 0, MakeTable{.table = TableId{0}, .spec = other}));
  EXPECT_TRUE(is_lost_for(1, 0, MakeTable{.table = TableId{5}, .spec = kSpec}));
  TableSpec same_name = kSpec;
  same_name.rows = 7;
  EXPECT_TRUE(is_lost_for(1, 0, MakeTable{.table = TableId{5}, .spec = same_name}));
}

}  // namespace
}  // namespace godwit
