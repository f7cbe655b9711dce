// store/hold_times_test.cc: holds fall into their buckets, and one in several is measured.
#include "store/hold_times.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

using std::chrono::microseconds;

void hold(HoldTimes& times, ManualTime& time, Duration for_long) {
  for (std::uint32_t i = 0; i < HoldTimes::kSampleEvery; ++i) {
    const Time begun = times.begin();
    time.advance(for_long);
    times.end(begun);
  }
}

TEST(HoldTimes, CountsOneOfSeveralInItsBucket) {
  ManualTime time;
  HoldTimes times(time);
  hold(times, time, microseconds(1));
  hold(times, time, microseconds(3));
  hold(times, time, microseconds(5));
  hold(times, time, microseconds(70));
  hold(times, time, std::chrono::seconds(1));
  const std::array<std::uint64_t, 6> expected{1, 0, 2, 0, 1, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(times.count(i), expected[i]) << i;
  EXPECT_EQ(times.longest(), std::chrono::seconds(1));
}

}  // namespace
}  // namespace godwit
