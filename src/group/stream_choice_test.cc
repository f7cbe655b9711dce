// group/stream_choice_test.cc: which way is taken when one is faster, and when that changes.
#include "group/stream_choice.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

constexpr StreamChoice::Kind kLong{.verb = CallVerb::kAllreduce, .bytes = 64U << 20};

// Of so many calls, how many stream.
int run_calls(StreamChoice& choice, int calls, double cached, double streamed,
              const StreamChoice::Kind& kind = kLong) {
  int streams = 0;
  for (int i = 0; i < calls; ++i) {
    const bool is_streamed = choice.streams(kind);
    streams += is_streamed ? 1 : 0;
    choice.note(is_streamed ? streamed : cached);
  }
  return streams;
}

TEST(StreamChoice, TakesTheFasterWayAndTriesTheOtherNowAndThen) {
  StreamChoice past;
  run_calls(past, 5, 2, 1);
  EXPECT_GE(run_calls(past, 160, 2, 1), 150);
  EXPECT_LT(run_calls(past, 160, 2, 1), 160);
  StreamChoice through;
  run_calls(through, 5, 1, 2);
  EXPECT_LE(run_calls(through, 160, 1, 2), 10);
  EXPECT_GT(run_calls(through, 160, 1, 2), 0);
}

TEST(StreamChoice, FollowsAProcessorThatWasMoved) {
  StreamChoice choice;
  run_calls(choice, 100, 1, 1.5);
  // The caches are apart now: noticed as soon as the last good calls are forgotten.
  run_calls(choice, 5, 3, 1.5);
  EXPECT_GE(run_calls(choice, 32, 3, 1.5), 30);
  // And together again: noticed when the other way is tried.
  run_calls(choice, 16, 1, 1.5);
  EXPECT_LE(run_calls(choice, 32, 1, 1.5), 3);
}

TEST(StreamChoice, OneSlowCallChangesNothing) {
  StreamChoice choice;
  run_calls(choice, 40, 1, 1.5);
  choice.streams(kLong);
  choice.note(100);
  EXPECT_LE(run_calls(choice, 7, 1, 1.5), 1);
}

TEST(StreamChoice, TheFirstCallDoesNotCount) {
  StreamChoice choice;
  choice.streams(kLong);
  choice.note(0.001);
  run_calls(choice, 4, 1, 2);
  EXPECT_FALSE(choice.streams(kLong));
}

TEST(StreamChoice, UnequalLengthsAreComparedByTheByte) {
  StreamChoice choice;
  // Those that stream happen to be the shorter ones of one kind.
  for (int i = 0; i < 5; ++i) {
    const bool is_streamed =
        choice.streams({CallVerb::kAllreduce, (i % 2 == 0 ? 70U : 120U) << 20});
    choice.note(is_streamed ? 1.0 : 1.2);
  }
  EXPECT_FALSE(choice.streams(kLong));
}

TEST(StreamChoice, OtherLengthsCopiesAndVerbsHaveTheirOwn) {
  StreamChoice choice;
  run_calls(choice, 10, 1, 2);
  for (const StreamChoice::Kind& kind : {StreamChoice::Kind{CallVerb::kAllreduce, 8U << 20, 1},
                                         StreamChoice::Kind{CallVerb::kAllreduce, 64U << 20, 4},
                                         StreamChoice::Kind{CallVerb::kAllgather, 64U << 20, 1}}) {
    run_calls(choice, 5, 2, 1, kind);
    EXPECT_TRUE(choice.streams(kind));
    choice.note(1);
  }
  EXPECT_FALSE(choice.streams(kLong));
}

}  // namespace
}  // namespace godwit
