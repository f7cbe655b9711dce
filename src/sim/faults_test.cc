// sim/faults_test.cc: mixtures differ, stay within their promise, and say what they are.
#include "sim/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/members.h"

namespace godwit::sim {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Faults, OneStateOfChanceGivesOneMixture) {
  Prng a(7);
  Prng b(7);
  EXPECT_EQ(to_string(draw_faults(a)), to_string(draw_faults(b)));
  EXPECT_NE(to_string(draw_faults(a)), to_string(draw_faults(a))) << "the next is another";
}

TEST(Faults, NoneMakesANodeSeemLost) {
  const Liveness liveness;
  Prng prng(1);
  for (int i = 0; i < 2000; ++i) {
    const Faults faults = draw_faults(prng);
    ASSERT_LT(faults.reconnect_max, liveness.lost_after);
    ASSERT_LT(faults.freeze_max, liveness.lost_after);
    ASSERT_GT(faults.latency_max, Duration::zero());
    ASSERT_GE(faults.queue_bytes_max, 256);
    ASSERT_LE(faults.slow_links, 16);
    ASSERT_LE(faults.duplicates, 256);
    ASSERT_LE(faults.wrong_guesses, 16);
  }
}

TEST(Faults, EachKindIsOnInAboutHalfOfTheWorlds) {
  Prng prng(1);
  int drops = 0;
  int duplicates = 0;
  int partitions = 0;
  int freezes = 0;
  for (int i = 0; i < 1000; ++i) {
    const Faults faults = draw_faults(prng);
    drops += faults.drop_every > Duration::zero();
    duplicates += faults.duplicates > 0;
    partitions += faults.partition_every > Duration::zero();
    freezes += faults.freeze_every > Duration::zero();
  }
  for (const int count : {drops, duplicates, partitions, freezes}) {
    EXPECT_GT(count, 400);
    EXPECT_LT(count, 600);
  }
}

TEST(Faults, TheTextNamesWhatIsOnAndNothingElse) {
  Faults faults{.latency_max = milliseconds(2), .queue_bytes_max = 512};
  EXPECT_EQ(to_string(faults), "latency up to 2 ms, queues of 512 bytes");
  faults.drop_every = milliseconds(30);
  faults.reconnect_max = milliseconds(5);
  faults.duplicates = 9;
  faults.wrong_guesses = 3;
  faults.slow_links = 4;
  EXPECT_EQ(to_string(faults),
            "latency up to 2 ms, 4 of 16 links slow, connections lost every 30 ms for up to 5 ms, "
            "9 of 256 doubled, 3 of 16 misrouted, queues of 512 bytes");
  faults.partition_every = milliseconds(40);
  faults.freeze_every = milliseconds(50);
  EXPECT_THAT(to_string(faults), HasSubstr("one-way partitions every 40 ms"));
  EXPECT_THAT(to_string(faults), HasSubstr("freezes every 50 ms"));
}

}  // namespace
}  // namespace godwit::sim
