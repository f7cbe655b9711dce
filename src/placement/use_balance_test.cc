// placement/use_balance_test.cc: one user, several, and changes of mind.
#include "placement/use_balance.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

constexpr RowId kRow{TableId{1}, 77};
constexpr NodeId kOwner{0};
constexpr NodeId kOther{1};
constexpr NodeId kThird{2};

// How many uses of a node until it leads.
int uses_until_lead(UseBalance& balance, NodeId node) {
  for (int uses = 1; uses < 100; ++uses) {
    if (balance.note_remote(kRow, node)) return uses;
  }
  return -1;
}

TEST(UseBalance, TheOnlyUserLeadsWithTheThirdUse) {
  UseBalance balance;
  EXPECT_EQ(uses_until_lead(balance, kOther), 3);
  EXPECT_TRUE(balance.note_remote(kRow, kOther));
}

TEST(UseBalance, NobodyLeadsIfTheOwnerUsesItAsOften) {
  UseBalance balance;
  balance.note_remote(kRow, kOther);
  for (int i = 0; i < 100; ++i) {
    balance.note_own(kRow, kOwner);
    for (int use = 0; use < 4; ++use) EXPECT_FALSE(balance.note_remote(kRow, kOther));
  }
}

TEST(UseBalance, NobodyLeadsIfSeveralOthersUseIt) {
  UseBalance balance;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(balance.note_remote(kRow, kOther));
    EXPECT_FALSE(balance.note_remote(kRow, kThird));
  }
}

TEST(UseBalance, HoweverLongTheOwnerUsedItAnotherLeadsSoonAfter) {
  UseBalance balance;
  balance.note_remote(kRow, kOther);
  for (int i = 0; i < 1000; ++i) balance.note_own(kRow, kOwner);
  EXPECT_EQ(uses_until_lead(balance, kOther), 4 + 3);
}

TEST(UseBalance, RowsAreKeptApart) {
  UseBalance balance;
  for (int i = 0; i < 2; ++i) balance.note_remote(kRow, kOther);
  EXPECT_FALSE(balance.note_remote({TableId{1}, 78}, kOther));
  EXPECT_FALSE(balance.note_remote({TableId{2}, 77}, kOther));
  EXPECT_TRUE(balance.note_remote(kRow, kOther));
}

TEST(UseBalance, WhereNobodyElseUsesRowsNothingIsRemembered) {
  UseBalance balance;
  for (int i = 0; i < 10; ++i) balance.note_own(kRow, kOwner);
  EXPECT_EQ(uses_until_lead(balance, kOther), 3);
}

}  // namespace
}  // namespace godwit
