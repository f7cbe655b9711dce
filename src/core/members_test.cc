// core/members_test.cc: who is lost, when and why.
#include "core/members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr NodeId kSelf{0};
constexpr NodeId kPeer{1};
constexpr NodeId kOther{2};
constexpr Incarnation kLife{7};
constexpr Duration kTick{1};

const Liveness kLiveness{
    .join_within = seconds(60), .lost_after = seconds(5), .expel_after = seconds(30)};

Time at(Duration since_start) {
  return Time{} + since_start;
}

class MembersTest : public testing::Test {
 protected:
  // The other one never becomes the matter of a test.
  MembersTest() { members_.on_bye(kOther); }
  void SetUp() override { members_.on_leaving(); }

  void expect_lost_at(Duration when) {
    EXPECT_LE(members_.next_check(), at(when));
    members_.expire(at(when - kTick));
    EXPECT_EQ(members_.next_check(), at(when));
    EXPECT_FALSE(members_.is_lost(kPeer));
    EXPECT_THAT(members_.take_newly_lost(), IsEmpty());
    members_.expire(at(when));
    EXPECT_TRUE(members_.is_lost(kPeer));
    EXPECT_THAT(members_.take_newly_lost(), ElementsAre(kPeer));
    EXPECT_THAT(members_.take_newly_lost(), IsEmpty()) << "told once";
    EXPECT_EQ(members_.next_check(), Time::max());
  }
  std::string why() const { return members_.lost_error(kPeer).message(); }

  Members members_{kSelf, 3, kLiveness, at(seconds(0))};
};

TEST_F(MembersTest, WhoDoesNotJoinInTimeIsLost) {
  expect_lost_at(seconds(60));
  EXPECT_EQ(members_.lost_error(kPeer).code(), ErrorCode::kUnavailable);
  EXPECT_EQ(why(), "node 1 is lost: it did not join within 60 s (not connected yet)");
  EXPECT_EQ(members_.first_lost(), kPeer);
}

TEST_F(MembersTest, FailedAttemptsToConnectDoNotPutOffTheTimeToJoin) {
  members_.on_down(kPeer, unavailable("refused"), at(seconds(59)));
  expect_lost_at(seconds(60));
  EXPECT_THAT(why(), HasSubstr("did not join within 60 s (refused)"));
}

TEST_F(MembersTest, WhoseConnectionIsNotMadeAgainInTimeIsLost) {
  EXPECT_TRUE(members_.on_up(kPeer, kLife, at(seconds(1))));
  members_.on_down(kPeer, unavailable("reset by peer"), at(seconds(100)));
  EXPECT_FALSE(members_.is_up(kPeer));
  members_.on_down(kPeer, unavailable("refused"), at(seconds(103)));
  expect_lost_at(seconds(105));
  EXPECT_EQ(why(),
            "node 1 is lost: its connection was lost and not made again within 5 s (refused)");
}

TEST_F(MembersTest, AConnectionMadeAgainInTimeIsNoLoss) {
  members_.on_up(kPeer, kLife, at(seconds(1)));
  members_.on_down(kPeer, unavailable("reset by peer"), at(seconds(2)));
  EXPECT_TRUE(members_.on_up(kPeer, kLife, at(seconds(6))));
  EXPECT_TRUE(members_.is_up(kPeer));
  expect_lost_at(seconds(36));
}

TEST_F(MembersTest, WhoIsConnectedButSilentIsLostLater) {
  members_.on_up(kPeer, kLife, at(seconds(1)));
  members_.on_heard(kPeer, at(seconds(10)));
  expect_lost_at(seconds(40));
  EXPECT_EQ(why(), "node 1 is lost: nothing heard of it for 30 s");
  EXPECT_FALSE(members_.is_up(kPeer));
}

TEST_F(MembersTest, ALostPeerStaysLost) {
  members_.on_up(kPeer, kLife, at(seconds(1)));
  members_.mark_lost(kPeer, "nonsense");
  members_.mark_lost(kPeer, "more nonsense");
  EXPECT_FALSE(members_.on_up(kPeer, kLife, at(seconds(2))));
  EXPECT_FALSE(members_.is_up(kPeer));
  EXPECT_EQ(why(), "node 1 is lost: nonsense");
  EXPECT_THAT(members_.take_newly_lost(), ElementsAre(kPeer));
}

TEST_F(MembersTest, AnotherLifeOfAPeerIsALoss) {
  members_.on_up(kPeer, kLife, at(seconds(1)));
  EXPECT_FALSE(members_.on_up(kPeer, Incarnation{8}, at(seconds(2))));
  EXPECT_TRUE(members_.is_lost(kPeer));
  EXPECT_THAT(why(), HasSubstr("it was restarted"));
}

TEST_F(MembersTest, TheSilenceOfOneThatLeftIsNoLossToOneThatLeaves) {
  members_.on_up(kPeer, kLife, at(seconds(1)));
  members_.on_bye(kPeer);
  EXPECT_TRUE(members_.has_left(kPeer));
  EXPECT_EQ(members_.next_check(), Time::max());
  members_.on_down(kPeer, unavailable("closed"), at(seconds(2)));
  members_.expire(at(seconds(1000)));
  EXPECT_FALSE(members_.is_lost(kPeer));
  EXPECT_FALSE(members_.first_lost());
}

// Who has said goodbye serves its rows until all have; while we need them its death is a loss.
TEST(Members, OneThatLeftIsMissedByThoseThatStay) {
  Members members(kSelf, 2, kLiveness, at(seconds(0)));
  members.on_up(kPeer, kLife, at(seconds(1)));
  members.on_bye(kPeer);
  members.on_down(kPeer, unavailable("reset by peer"), at(seconds(2)));
  members.expire(at(seconds(7)));
  EXPECT_TRUE(members.is_lost(kPeer));
}

TEST(Members, TheFirstLossIsRemembered) {
  Members members(kSelf, 3, kLiveness, at(seconds(0)));
  EXPECT_FALSE(members.first_lost());
  members.mark_lost(kOther, "a");
  members.mark_lost(kPeer, "b");
  EXPECT_EQ(members.first_lost(), kOther);
  EXPECT_THAT(members.take_newly_lost(), ElementsAre(kOther, kPeer));
}

TEST(Members, OneNeverLosesItself) {
  Members members(kSelf, 1, kLiveness, at(seconds(0)));
  EXPECT_EQ(members.next_check(), Time::max());
  members.expire(at(std::chrono::hours(1000)));
  EXPECT_FALSE(members.is_lost(kSelf));
}

TEST_F(MembersTest, DescribesWhereAPeerIs) {
  EXPECT_EQ(members_.describe(kPeer, at(seconds(3))),
            "node 1, without connection for 3 s (not connected yet)");
  members_.on_up(kPeer, kLife, at(seconds(4)));
  EXPECT_EQ(members_.describe(kPeer, at(milliseconds(10'300))), "node 1, last heard 6.3 s ago");
  members_.on_down(kPeer, unavailable("reset by peer"), at(seconds(20)));
  EXPECT_EQ(members_.describe(kPeer, at(milliseconds(23'100))),
            "node 1, without connection for 3.1 s (reset by peer)");
  members_.mark_lost(kPeer, "it was restarted");
  EXPECT_EQ(members_.describe(kPeer, at(seconds(24))), "node 1, which is lost: it was restarted");
}

}  // namespace
}  // namespace godwit
