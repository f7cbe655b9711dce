// group/group_failures_test.cc: calls that go on by themselves, calls that differ, ranks that do
// not come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>

#include "group/group_fixture.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

GroupOptions patient(std::chrono::milliseconds wait_max = std::chrono::seconds(20)) {
  return {.wait_max = wait_max, .algorithm = Algorithm::kRing, .ring = {.chunk_bytes = 1024}};
}

TEST(GroupAsync, CallsGoOnInTheOrderInWhichTheyWereMade) {
  run_ranks(3, patient(), [&](Group& group) {
    std::vector<std::vector<float>> values(10);
    std::vector<PendingCall> calls;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].assign(100 * i + 1, static_cast<float>(i));
      TensorList list;
      list.add(values[i]).value();
      calls.push_back(group.allreduce_async(list));
      if (i == 5) calls.push_back(group.barrier_async());
    }
    std::vector<float> last(7, 1);
    TensorList list;
    list.add(last).value();
    group.allreduce(list).value();  // behind all of them
    EXPECT_THAT(last, testing::Each(3.0F));
    for (const PendingCall& call : calls) EXPECT_TRUE(call.is_over());
    for (const PendingCall& call : calls) call.wait().value();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_THAT(values[i], testing::Each(3.0F * static_cast<float>(i)));
    }
  });
}

// What each rank was told.
struct Told {
  std::mutex mutex;
  std::vector<std::pair<int, Error>> errors;
  void add(int rank, const Result<>& result) {
    const std::lock_guard lock(mutex);
    if (!result.ok()) errors.emplace_back(rank, result.error());
  }
};

void expect_told_at_once(int size, const std::function<Result<>(Group&, const TensorList&)>& call,
                         const testing::Matcher<std::string>& message) {
  Told told;
  const RealTime time;
  const Time begin = time.now();
  run_ranks(size, patient(), [&](Group& group) {
    std::vector<float> values(1000, 1);
    TensorList list;
    list.add(values).value();
    const auto first = call(group, list);
    told.add(group.rank(), first);
    if (first.ok()) told.add(group.rank(), group.barrier());
  });
  EXPECT_LT(time.now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(told.errors.size(), static_cast<std::size_t>(size));
  bool is_said = false;
  for (const auto& [rank, error] : told.errors) {
    EXPECT_EQ(error.code(), ErrorCode::kAborted) << error.message();
    is_said = is_said || testing::Value(error.message(), message);
  }
  EXPECT_TRUE(is_said) << told.errors.at(0).second.message();
}

TEST(GroupMismatch, DifferentVerbsAreToldApart) {
  expect_told_at_once(
      3,
      [](Group& group, const TensorList& list) {
        return group.rank() == 1 ? group.broadcast(list, 0) : group.allreduce(list);
      },
      AllOf(HasSubstr("allreduce #1"), HasSubstr("broadcast #1")));
}

TEST(GroupMismatch, DifferentLengthsAreToldApart) {
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kDoubling}) {
    Told told;
    GroupOptions options = patient();
    options.algorithm = algorithm;
    run_ranks(2, options, [&](Group& group) {
      std::vector<float> values(group.rank() == 0 ? 100 : 101);
      TensorList list;
      list.add(values).value();
      told.add(group.rank(), group.allreduce(list));
    });
    ASSERT_EQ(told.errors.size(), 2U);
    for (const auto& [rank, error] : told.errors) EXPECT_EQ(error.code(), ErrorCode::kAborted);
  }
}

TEST(GroupMismatch, ACallThatOneRankLeftOutIsNoticed) {
  expect_told_at_once(
      3,
      [](Group& group, const TensorList& list) {
        if (group.rank() != 2) group.allgather(list).ok() ? void() : void();
        return group.reduce_scatter(list);
      },
      // Who sees first that lengths differ says no more than that.
      AnyOf(HasSubstr("ranks make different calls"), HasSubstr("it is at another call")));
}

TEST(GroupMismatch, ABrokenGroupStaysBroken) {
  run_ranks(2, patient(), [&](Group& group) {
    std::vector<float> values(10);
    TensorList list;
    list.add(values).value();
    const auto first = group.rank() == 0 ? group.barrier() : group.allreduce(list);
    ASSERT_FALSE(first.ok());
    const auto second = group.barrier();
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().message(), first.error().message());
    EXPECT_EQ(group.allreduce_async(list).wait().error().message(), first.error().message());
  });
}

TEST(GroupDeadline, WhoDoesNotComeIsNamed) {
  std::atomic<bool> is_told = false;
  std::atomic<int> timeouts = 0;
  run_ranks(3, patient(std::chrono::milliseconds(300)), [&](Group& group) {
    if (group.rank() == 2) {
      while (!is_told) std::this_thread::yield();
      return;
    }
    std::vector<float> values(10);
    TensorList list;
    list.add(values).value();
    const auto done = group.allreduce(list);
    ASSERT_FALSE(done.ok());
    // Who waits for rank 2 says so; the others learn it from there.
    EXPECT_THAT(done.error().message(), HasSubstr("rank 2 does not"));
    EXPECT_THAT(done.error().message(), HasSubstr("allreduce #1 of 1 tensors with 10 elements"));
    if (done.error().code() == ErrorCode::kTimeout) ++timeouts;
    is_told = true;
  });
  EXPECT_GE(timeouts, 1);
}

TEST(GroupGivingUp, EndsTheCallsOfOthersSoonAndSaysWhy) {
  for (const bool with_views : {false, true}) {
    const RealTime time;
    const Time begin = time.now();
    const auto rank = [&](Group& group) {
      std::vector<float> values(10'000);
      TensorList list;
      list.add(values).value();
      // A code by which others might take it for lost, and go on without it.
      if (group.rank() == 1) group.give_up(unavailable("its session is over"));
      const auto done = group.allreduce(list);
      ASSERT_FALSE(done.ok());
      EXPECT_THAT(done.error().message(), HasSubstr("its session is over"));
      if (group.rank() == 1) {
        EXPECT_EQ(done.error().code(), ErrorCode::kUnavailable);
      } else {
        EXPECT_EQ(done.error().code(), ErrorCode::kAborted);
        EXPECT_THAT(done.error().message(), HasSubstr("rank 1 gave up"));
      }
    };
    run_ranks(3, patient(), rank, with_views);
    EXPECT_LT(time.now() - begin, std::chrono::seconds(10));
  }
}

TEST(GroupGivingUp, ComesAfterTheCallsThatWereMade) {
  run_ranks(2, patient(), [&](Group& group) {
    const PendingCall first = group.barrier_async();
    const PendingCall second = group.barrier_async();
    if (group.rank() == 0) group.give_up(aborted("enough"));
    EXPECT_TRUE(first.wait().ok());
    EXPECT_TRUE(second.wait().ok());
    EXPECT_THAT(group.barrier().error().message(), HasSubstr("enough"));
    group.give_up(aborted("too late"));
    EXPECT_THAT(group.barrier().error().message(), HasSubstr("enough"));
  });
}

TEST(GroupQueue, ACallTooManyBreaksTheGroupOnAllRanksAfterThoseThatWait) {
  std::atomic<bool> is_posted = false;
  run_ranks(2, patient(), [&](Group& group) {
    constexpr std::size_t kCalls = CallQueue::kWaitingMax + 2;  // one of them may have begun
    std::size_t good = 0;
    if (group.rank() == 0) {
      std::vector<PendingCall> calls;
      for (std::size_t i = 0; i < kCalls; ++i) calls.push_back(group.barrier_async());
      EXPECT_TRUE(calls.back().is_over());
      EXPECT_EQ(calls.back().wait().error().code(), ErrorCode::kUnavailable);
      is_posted = true;
      for (const PendingCall& call : calls) good += call.wait().ok() ? 1U : 0U;
      EXPECT_THAT(group.barrier().error().message(), HasSubstr("wait() for some"));
    } else {
      while (!is_posted) std::this_thread::yield();
      Result<> last;
      for (std::size_t i = 0; i < kCalls && last.ok(); ++i) {
        last = group.barrier();
        good += last.ok() ? 1U : 0U;
      }
      ASSERT_FALSE(last.ok());
      EXPECT_EQ(last.error().code(), ErrorCode::kAborted);
      EXPECT_THAT(last.error().message(),
                  AllOf(HasSubstr("rank 0 gave up"), HasSubstr("wait() for some")));
    }
    EXPECT_THAT(good, testing::AnyOf(kCalls - 2, kCalls - 1));
  });
}

TEST(GroupArguments, AreRefusedBeforeAnythingIsSent) {
  run_ranks(2, patient(), [&](Group& group) {
    const auto done = group.broadcast(TensorList(), 2);
    EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
    group.barrier().value();
    EXPECT_EQ(group.shrink().error().code(), ErrorCode::kInvalidArgument);
  });
  EXPECT_FALSE(
      Group::open(std::move(make_inproc_exchangers(1)[0]), {.wait_max = Duration(0)}).ok());
}

TEST(GroupDestruction, AmidACallTellsTheOthers) {
  auto exchangers = make_inproc_exchangers(2);
  auto first = Group::open(std::move(exchangers[0]), patient()).value();
  auto second =
      Group::open(std::move(exchangers[1]), patient(std::chrono::milliseconds(100))).value();
  std::vector<float> values(10);
  TensorList list;
  list.add(values).value();
  const PendingCall call = first->allreduce_async(list);
  second.reset();
  auto third = std::jthread([&] { first.reset(); });
  EXPECT_FALSE(call.wait().ok());
}

}  // namespace
}  // namespace godwit
