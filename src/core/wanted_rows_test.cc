// core/wanted_rows_test.cc: the table of wanted rows against std::map.
#include "core/wanted_rows.h"

#include <gtest/gtest.h>

#include <map>

namespace godwit {
namespace {

TEST(WantedRows, HoldsWhatAMapWouldHold) {
  for (const std::uint64_t keys : {3U, 40U, 5000U}) {
    WantedRowsOfTable rows;
    std::map<Key, std::uint32_t> expected;
    Prng prng(keys);
    for (int i = 0; i < 20'000; ++i) {
      const Key key = prng.below(keys);
      if (prng.below(2) == 0) {
        EXPECT_EQ(++rows.of(key).users, ++expected[key]);
      } else if (WantedRow* const row = rows.find(key)) {
        ASSERT_EQ(row->users, expected.at(key));
        rows.erase(*row);
        expected.erase(key);
      } else {
        ASSERT_FALSE(expected.contains(key));
      }
      ASSERT_EQ(rows.size(), expected.size());
    }
    std::size_t seen = 0;
    rows.for_each([&](const WantedRow& row) {
      ++seen;
      EXPECT_EQ(row.users, expected.at(row.key));
    });
    EXPECT_EQ(seen, expected.size());
    for (const auto& [key, users] : expected) EXPECT_EQ(rows.find(key)->users, users);
  }
}

TEST(WantedRows, AVisitThatLeavesIsInBetween) {
  WantedRows rows;
  const RowId id{TableId{2}, 7};
  EXPECT_EQ(rows.find(id), nullptr);
  WantedRow& row = rows.table(id.table).of(id.key);
  row.stage = Stage::kLeaving;
  EXPECT_TRUE(rows.is_in_between(id));
  row.users = 1;
  row.stage = Stage::kVisiting;
  EXPECT_FALSE(rows.is_in_between(id));
  EXPECT_EQ(rows.size(), 1U);
}

}  // namespace
}  // namespace godwit
