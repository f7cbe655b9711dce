// core/group_book_test.cc: lives and deadlines of groups.
#include "core/group_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr GroupPatience kPatience{.times = 20, .least = seconds(5), .first = seconds(60)};
constexpr GroupRecord kFirstLife{.life = 1, .group = 0};  // of the group that joins first

class GroupBookTest : public testing::Test {
 protected:
  static Time at(Duration since) { return Time{} + since; }
  void join(std::int64_t node, const GroupPlace& place, Duration when = {}) {
    const auto joined = book.join(NodeId{node}, place, at(when));
    ASSERT_TRUE(joined.ok()) << joined.error().message();
  }
  std::string refusal(std::int64_t node, const GroupPlace& place) {
    const auto joined = book.join(NodeId{node}, place, at({}));
    return joined.ok() ? "" : joined.error().message();
  }
  // Reports of a node every `every` from `from` to `to`.
  void compute(std::int64_t node, Duration every, Duration from, Duration to) {
    for (Duration now = from; now <= to; now += every) {
      book.progress(NodeId{node}, ++step, at(now));
    }
  }
  std::vector<std::uint32_t> live() const {
    std::vector<std::uint32_t> groups;
    for (const GroupRecord& group : book.live()) groups.push_back(group.group);
    return groups;
  }
  using Groups = std::vector<std::uint32_t>;

  GroupBook book{kPatience};
  std::uint64_t step = 0;
};

TEST_F(GroupBookTest, AGroupIsLiveWhenAllItsRanksHaveJoined) {
  join(5, {.group = 1, .rank = 1, .size = 2});
  EXPECT_EQ(live(), Groups{});
  EXPECT_EQ(book.version(), 0U);
  join(4, {.group = 1, .rank = 0, .size = 2});
  EXPECT_EQ(live(), Groups{1});
  EXPECT_EQ(book.version(), 1U);
  EXPECT_EQ(book.of(NodeId{4}), (GroupRecord{.life = 1, .group = 1, .size = 2}));
}

TEST_F(GroupBookTest, PlacesThatCannotBeAreRefused) {
  EXPECT_THAT(refusal(3, {.group = -1}), HasSubstr("not possible"));
  EXPECT_THAT(refusal(3, {.group = 0, .rank = 2, .size = 2}), HasSubstr("not possible"));
  join(3, {.group = 0, .rank = 0, .size = 2});
  EXPECT_THAT(refusal(4, {.group = 0, .rank = 0, .size = 2}), HasSubstr("is node 3 already"));
  EXPECT_THAT(refusal(4, {.group = 0, .rank = 1, .size = 3}), HasSubstr("2 ranks"));
  EXPECT_THAT(refusal(3, {.group = 7}), HasSubstr("node 3 is a rank of group 0 already"));
  join(4, {.group = 0, .rank = 1, .size = 2});
  EXPECT_THAT(refusal(5, {.group = 0, .rank = 1, .size = 2}), HasSubstr("all its 2 ranks"));
}

TEST_F(GroupBookTest, AGroupThatShowsNothingExpiresAfterAMinute) {
  join(3, {.group = 0});
  EXPECT_EQ(book.deadline(), at(seconds(60)));
  book.expire(at(milliseconds(59'999)));
  EXPECT_EQ(live(), Groups{0});
  book.expire(at(seconds(60)));
  EXPECT_EQ(live(), Groups{});
  EXPECT_EQ(book.version(), 2U);
  EXPECT_EQ(book.deadline(), Time::max());
}

TEST_F(GroupBookTest, ProgressIsJudgedByWhatIsUsual) {
  join(3, {.group = 0});
  compute(3, seconds(2), seconds(2), seconds(60));
  EXPECT_EQ(book.deadline(), at(seconds(60 + 40)));
  compute(3, milliseconds(10), seconds(61), seconds(63));
  EXPECT_EQ(book.deadline(), at(seconds(63 + 5)));
}

TEST_F(GroupBookTest, StepsThatDoNotRiseAreNoProgress) {
  join(3, {.group = 0});
  book.progress(NodeId{3}, 7, at(seconds(1)));
  book.progress(NodeId{3}, 7, at(seconds(30)));
  book.progress(NodeId{3}, 6, at(seconds(30)));
  EXPECT_EQ(book.deadline(), at(seconds(61)));
}

TEST_F(GroupBookTest, WhoHadExpiredAndShowsProgressIsLiveInTheSameLife) {
  join(3, {.group = 0});
  compute(3, milliseconds(100), seconds(1), seconds(2));
  book.expire(at(seconds(8)));
  EXPECT_EQ(live(), Groups{});
  compute(3, milliseconds(100), seconds(20), seconds(20));
  EXPECT_EQ(live(), Groups{0});
  EXPECT_EQ(book.of(NodeId{3})->life, 1U);
  EXPECT_EQ(book.version(), 3U);
  // For how long it was frozen is not what is usual.
  EXPECT_EQ(book.deadline(), at(seconds(25)));
}

TEST_F(GroupBookTest, ALostRankEndsTheLifeAtOnceAndAllJoinForTheNext) {
  join(3, {.group = 0, .rank = 0, .size = 2});
  join(4, {.group = 0, .rank = 1, .size = 2});
  book.leave(NodeId{4});
  EXPECT_EQ(live(), Groups{});
  EXPECT_EQ(book.of(NodeId{3}), std::nullopt);
  compute(3, seconds(1), seconds(1), seconds(2));
  EXPECT_EQ(live(), Groups{}) << "a rank that is left over makes no group";
  join(4, {.group = 0, .rank = 1, .size = 2});
  EXPECT_EQ(live(), Groups{});
  join(3, {.group = 0, .rank = 0, .size = 2});
  EXPECT_EQ(live(), Groups{0});
  EXPECT_EQ(book.of(NodeId{3})->life, 2U);
}

TEST_F(GroupBookTest, RanksOfDifferentStartsMakeNoGroup) {
  join(3, {.group = 0, .rank = 0, .size = 2, .incarnation = 1});
  // It has died, which nobody has noticed; the other rank of the next start is there first.
  join(4, {.group = 0, .rank = 1, .size = 2, .incarnation = 2});
  EXPECT_EQ(live(), Groups{});
  EXPECT_THAT(refusal(5, {.group = 0, .rank = 0, .size = 2, .incarnation = 1}),
              HasSubstr("started anew"));
  book.leave(NodeId{3});
  join(3, {.group = 0, .rank = 0, .size = 2, .incarnation = 2});
  EXPECT_EQ(live(), Groups{0});
}

TEST_F(GroupBookTest, ANewStartEndsTheLifeBeforeAtOnce) {
  join(3, {.group = 0, .rank = 0, .size = 2, .incarnation = 1});
  join(4, {.group = 0, .rank = 1, .size = 2, .incarnation = 1});
  book.leave(NodeId{4});
  join(4, {.group = 0, .rank = 1, .size = 2, .incarnation = 2});
  EXPECT_EQ(live(), Groups{});
  compute(3, seconds(1), seconds(1), seconds(2));
  EXPECT_EQ(live(), Groups{});
  join(3, {.group = 0, .rank = 0, .size = 2, .incarnation = 2});
  EXPECT_EQ(book.of(NodeId{3})->life, 2U);
}

TEST_F(GroupBookTest, WhoIsLeftMayMakeASmallerGroup) {
  join(3, {.group = 0, .rank = 0, .size = 2});
  join(4, {.group = 0, .rank = 1, .size = 2});
  book.leave(NodeId{4});
  join(3, {.group = 0, .rank = 0, .size = 1});
  EXPECT_EQ(book.of(NodeId{3}), (GroupRecord{.life = 2, .group = 0, .size = 1}));
}

TEST_F(GroupBookTest, ABrokenConnectionIsNotWaitedForLong) {
  join(3, {.group = 0, .rank = 0, .size = 2});
  join(4, {.group = 0, .rank = 1, .size = 2});
  book.on_down(NodeId{4}, at(seconds(2)));
  EXPECT_EQ(book.deadline(), at(seconds(3)));
  book.progress(NodeId{3}, 1, at(milliseconds(2500)));
  EXPECT_EQ(book.deadline(), at(milliseconds(3500))) << "it goes on without that connection";
  book.expire(at(milliseconds(3500)));
  EXPECT_EQ(live(), Groups{});
  book.on_up(NodeId{4}, at(seconds(4)));
  EXPECT_EQ(live(), Groups{}) << "only progress shows that it goes on";
  book.progress(NodeId{3}, 2, at(seconds(4)));
  EXPECT_EQ(live(), Groups{0});
  EXPECT_EQ(book.deadline(), at(seconds(64)));
}

TEST_F(GroupBookTest, AConnectionThatIsThereAgainInTimeChangesNothing) {
  join(3, {.group = 0, .rank = 0, .size = 1});
  compute(3, seconds(1), seconds(1), seconds(10));
  const auto version = book.version();
  book.on_down(NodeId{3}, at(seconds(10)));
  book.on_up(NodeId{3}, at(milliseconds(10'500)));
  EXPECT_EQ(book.deadline(), at(milliseconds(30'500)));
  EXPECT_EQ(book.version(), version);
}

TEST_F(GroupBookTest, WhoHasDoneItsPartIsNotMissedInItBecauseItsConnectionBreaks) {
  join(3, {.group = 0, .rank = 0, .size = 1});
  book.begin_waiting(kFirstLife, at(seconds(1)));
  book.on_down(NodeId{3}, at(seconds(2)));
  book.expire(at(seconds(50)));
  EXPECT_EQ(live(), Groups{0});
  book.end_waiting(at(seconds(50)));
  EXPECT_EQ(book.deadline(), at(seconds(51)));
}

TEST_F(GroupBookTest, WhoWaitsForOthersDoesNotExpire) {
  join(3, {.group = 0});
  join(4, {.group = 1});
  compute(3, milliseconds(100), seconds(1), seconds(2));
  compute(4, milliseconds(100), seconds(1), seconds(2));
  book.begin_waiting(kFirstLife, at(seconds(3)));
  book.expire(at(seconds(100)));
  EXPECT_EQ(live(), Groups{0});
  book.end_waiting(at(seconds(100)));
  EXPECT_EQ(book.deadline(), at(seconds(105)));
  // How long it waited is not what is usual.
  compute(3, milliseconds(100), milliseconds(100'100), milliseconds(100'100));
  EXPECT_EQ(book.deadline(), at(milliseconds(105'100)));
}

TEST_F(GroupBookTest, WhoHasDoneItsPartIsLiveAgain) {
  join(3, {.group = 0});
  book.expire(at(seconds(60)));
  book.begin_waiting(kFirstLife, at(seconds(61)));
  EXPECT_EQ(live(), Groups{0});
}

TEST_F(GroupBookTest, WhatALifeThatHasEndedDidIsNotThePartOfTheNext) {
  join(3, {.group = 0, .incarnation = 1});
  book.leave(NodeId{3});
  join(3, {.group = 0, .incarnation = 2}, seconds(1));
  book.begin_waiting(kFirstLife, at(seconds(2)));
  EXPECT_EQ(book.deadline(), at(seconds(61)));
  book.expire(at(seconds(61)));
  EXPECT_EQ(live(), Groups{}) << "it has shown nothing";
  book.begin_waiting(kFirstLife, at(seconds(62)));
  EXPECT_EQ(live(), Groups{}) << "nor does that show that it is there";
  book.begin_waiting({.life = 2, .group = 0}, at(seconds(63)));
  EXPECT_EQ(live(), Groups{0});
  EXPECT_EQ(book.deadline(), Time::max());
}

}  // namespace
}  // namespace godwit
