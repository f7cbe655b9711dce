// core/waits_test.cc: a ticket is done when all came or one failed, and never by what cannot be.
#include "core/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/errors.h"
#include "core/core_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr NodeId kOne{1};
constexpr NodeId kTwo{2};
constexpr std::uint32_t kLength = 2;

class WaitsTest : public testing::Test {
 protected:
  TicketId begin(std::vector<Waits::Request> requests, std::uint32_t row_length = 0) {
    const TicketId ticket = waits_.reserve();
    waits_.begin(ticket, {"pull", 12}, std::move(requests), row_length);
    return ticket;
  }
  Result<> arrive(TicketId ticket, std::size_t request, std::uint64_t count) {
    return waits_.arrived(Waits::wire_number(ticket, request), count);
  }
  Result<> answer(TicketId ticket, std::size_t request, std::uint64_t count,
                  std::span<const std::uint32_t> positions = {},
                  std::uint32_t row_length = kLength) {
    return waits_.arrived(
        Waits::wire_number(ticket, request), count, row_length,
        {.positions = positions, .values = std::span(values_).first(count * row_length)});
  }
  static void expect_corrupt(const Result<>& result) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code(), ErrorCode::kCorruption);
  }

  RecordingEvents events_;
  Waits waits_{events_};
  std::array<float, 64> values_{};
};

TEST_F(WaitsTest, ATicketAndItsRequestTravelAsOneNumber) {
  const std::uint64_t number = Waits::wire_number(TicketId{123'456'789}, 4095);
  EXPECT_EQ(Waits::ticket_of(number), TicketId{123'456'789});
  EXPECT_EQ(Waits::request_of(number), 4095);
  EXPECT_NE(Waits::wire_number(TicketId{1}, 0), Waits::wire_number(TicketId{2}, 0));
}

TEST_F(WaitsTest, ATicketIsDoneWhenAllOfAllRequestsCame) {
  const TicketId ticket = begin({{kOne, 3}, {kTwo, 1}});
  EXPECT_THAT(waits_.waiting_for(ticket), ElementsAre(kOne, kTwo));
  EXPECT_TRUE(arrive(ticket, 0, 2).ok());
  EXPECT_TRUE(arrive(ticket, 1, 1).ok());
  EXPECT_THAT(waits_.waiting_for(ticket), ElementsAre(kOne));
  EXPECT_FALSE(waits_.is_done(ticket));
  EXPECT_THAT(events_.done, IsEmpty());
  EXPECT_TRUE(arrive(ticket, 0, 1).ok());
  EXPECT_TRUE(waits_.is_done(ticket));
  EXPECT_THAT(events_.done, ElementsAre(ticket));
  EXPECT_FALSE(waits_.take(ticket).error);
  EXPECT_EQ(waits_.open(), 0);
}

TEST_F(WaitsTest, ATicketThatAwaitsNothingIsDoneAtOnce) {
  const TicketId ticket = begin({});
  EXPECT_TRUE(waits_.is_done(ticket));
  EXPECT_THAT(events_.done, ElementsAre(ticket));
}

TEST_F(WaitsTest, TicketsDoNotMix) {
  const TicketId first = begin({{kOne, 1}});
  const TicketId second = begin({{kOne, 1}});
  EXPECT_TRUE(arrive(second, 0, 1).ok());
  EXPECT_FALSE(waits_.is_done(first));
  EXPECT_TRUE(waits_.is_done(second));
}

TEST_F(WaitsTest, AnswersAreKeptWithTheirRequest) {
  const TicketId ticket = begin({{kOne, 1}, {kTwo, 3}}, kLength);
  const std::array<std::uint32_t, 2> some{2, 0};
  const std::array<std::uint32_t, 1> rest{1};
  EXPECT_TRUE(answer(ticket, 1, 2, some).ok());
  EXPECT_TRUE(answer(ticket, 0, 1).ok());
  EXPECT_TRUE(answer(ticket, 1, 1, rest).ok());
  ASSERT_TRUE(waits_.is_done(ticket));
  const Waits::Outcome outcome = waits_.take(ticket);
  ASSERT_EQ(outcome.answers.size(), 3);
  EXPECT_EQ(outcome.answers[0].request, 1);
  EXPECT_THAT(outcome.answers[0].positions, ElementsAre(2, 0));
  EXPECT_EQ(outcome.answers[1].request, 0);
  EXPECT_EQ(outcome.answers[2].request, 1);
}

TEST_F(WaitsTest, WhatNobodyAskedIsCorruption) {
  const TicketId ticket = begin({{kOne, 2}});
  expect_corrupt(arrive(TicketId{ticket.value() + 1}, 0, 1));
  expect_corrupt(arrive(TicketId{0}, 0, 1));
  expect_corrupt(arrive(ticket, 1, 1));
  expect_corrupt(waits_.arrived(~std::uint64_t{0}, 1));
  EXPECT_TRUE(arrive(ticket, 0, 2).ok()) << "nothing was changed";
}

TEST_F(WaitsTest, MoreThanIsAwaitedIsCorruptionAndChangesNothing) {
  const TicketId ticket = begin({{kOne, 2}, {kTwo, 5}});
  expect_corrupt(arrive(ticket, 0, 3));
  EXPECT_TRUE(arrive(ticket, 0, 1).ok());
  expect_corrupt(arrive(ticket, 0, 2));
  EXPECT_TRUE(arrive(ticket, 0, 1).ok());
  expect_corrupt(arrive(ticket, 0, 1));
  EXPECT_TRUE(arrive(ticket, 1, 5).ok());
  EXPECT_TRUE(waits_.is_done(ticket));
}

TEST_F(WaitsTest, AnAnswerOfOtherRowsIsCorruptionAndChangesNothing) {
  const TicketId ticket = begin({{kOne, 3}}, kLength);
  const std::array<std::uint32_t, 2> outside{0, 3};
  expect_corrupt(answer(ticket, 0, 3, {}, kLength + 1));
  expect_corrupt(answer(ticket, 0, 2));  // without positions it must be all
  expect_corrupt(answer(ticket, 0, 2, outside));
  expect_corrupt(answer(ticket, 0, 4));
  EXPECT_THAT(events_.done, IsEmpty());
  EXPECT_TRUE(answer(ticket, 0, 3).ok());
  EXPECT_EQ(waits_.take(ticket).answers.size(), 1);
}

TEST_F(WaitsTest, APullIsNotDoneByARowlessReply) {
  const TicketId ticket = begin({{kOne, 3}}, kLength);
  expect_corrupt(arrive(ticket, 0, 3));
  EXPECT_FALSE(waits_.is_done(ticket));
}

TEST_F(WaitsTest, APushIsNotDoneByRows) {
  const TicketId ticket = begin({{kOne, 3}});
  expect_corrupt(answer(ticket, 0, 3));
  EXPECT_FALSE(waits_.is_done(ticket));
}

TEST_F(WaitsTest, WhatComesForAnEndedTicketIsDropped) {
  const TicketId taken = begin({{kOne, 2}});
  waits_.fail(taken, aborted("x"));
  EXPECT_TRUE(arrive(taken, 0, 1).ok()) << "done, not taken yet";
  waits_.take(taken);
  EXPECT_TRUE(arrive(taken, 0, 1).ok());
  const TicketId abandoned = begin({{kOne, 2}}, kLength);
  waits_.abandon(abandoned);
  EXPECT_TRUE(answer(abandoned, 0, 2).ok());
  EXPECT_EQ(waits_.open(), 0);
  EXPECT_THAT(events_.done, ElementsAre(taken));
}

TEST_F(WaitsTest, TheFirstFailureIsTheOutcome) {
  const TicketId ticket = begin({{kOne, 2}, {kTwo, 1}});
  waits_.fail(ticket, not_found("first"));
  waits_.fail(ticket, aborted("second"));
  EXPECT_THAT(events_.done, ElementsAre(ticket)) << "told once";
  const Waits::Outcome outcome = waits_.take(ticket);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message(), "first");
  waits_.fail(ticket, aborted("of an ended ticket"));
  EXPECT_THAT(events_.done, ElementsAre(ticket));
}

TEST_F(WaitsTest, FailAllFailsWhatIsNotDone) {
  const TicketId done = begin({});
  const TicketId first = begin({{kOne, 2}});
  const TicketId second = begin({{kTwo, 2}});
  waits_.fail_all(unavailable("node 2 is lost"));
  EXPECT_THAT(events_.done, ElementsAre(done, first, second));
  EXPECT_FALSE(waits_.take(done).error);
  EXPECT_EQ(waits_.take(first).error->code(), ErrorCode::kUnavailable);
  EXPECT_EQ(waits_.take(second).error->message(), "node 2 is lost");
}

TEST_F(WaitsTest, AllOfOnePeerMayCountAsCome) {
  const TicketId ticket = begin({{kOne, 1}, {kTwo, 4}, {kOne, 2}});
  waits_.arrived_from(ticket, kOne);
  EXPECT_THAT(waits_.waiting_for(ticket), ElementsAre(kTwo));
  waits_.arrived_from(ticket, kTwo);
  EXPECT_TRUE(waits_.is_done(ticket));
  waits_.arrived_from(ticket, kTwo);
  EXPECT_THAT(events_.done, ElementsAre(ticket));
}

TEST_F(WaitsTest, ATicketSaysWhatItIsFor) {
  EXPECT_EQ(waits_.what(begin({})), "pull of 12 keys");
  const TicketId ticket = waits_.reserve();
  waits_.begin(ticket, {.verb = "barrier"}, {});
  EXPECT_EQ(waits_.what(ticket), "barrier");
}

TEST_F(WaitsTest, AReservedTicketExistsOnceItBegins) {
  const TicketId ticket = waits_.reserve();
  EXPECT_FALSE(waits_.exists(ticket));
  EXPECT_TRUE(arrive(ticket, 0, 1).ok()) << "it may have been given up before it began";
  waits_.begin(ticket, {.verb = "barrier"}, {{kOne, 1}});
  EXPECT_TRUE(waits_.exists(ticket));
}

}  // namespace
}  // namespace godwit
