// sim/pace_law_test.cc: means, least values and tails of what is drawn.
#include "sim/pace_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace godwit::sim {
namespace {

struct Drawn {
  double mean = 0;
  double least = 0;
  double median = 0;
};

Drawn drawn(const std::function<double(Prng&)>& draw) {
  Prng prng(1);
  std::vector<double> values(100'000);
  Drawn result;
  for (double& value : values) {
    value = draw(prng);
    result.mean += value / static_cast<double>(values.size());
  }
  std::ranges::sort(values);
  result.least = values.front();
  result.median = values[values.size() / 2];
  return result;
}

Drawn comm_of(std::string_view name) {
  return drawn([&](Prng& prng) { return draw_comm(*find_pace_law(name), prng); });
}
Drawn compute_of(std::string_view name, std::uint32_t worker) {
  return drawn([&](Prng& prng) { return draw_compute(*find_pace_law(name), worker, prng); });
}

TEST(PaceLaw, MeansAreWhatTheySay) {
  EXPECT_NEAR(comm_of("A").mean, 1, 0.02);
  EXPECT_NEAR(comm_of("A").median, 0.693, 0.02);
  EXPECT_NEAR(compute_of("A", 0).mean, 1, 0.02);
  EXPECT_NEAR(compute_of("C", 0).mean, 0.1, 0.002);
  EXPECT_NEAR(comm_of("D").mean, 0.1, 0.002);
  EXPECT_NEAR(comm_of("E").mean, 1, 0.02);
  EXPECT_NEAR(comm_of("F").mean, 1, 0.1);
  EXPECT_NEAR(comm_of("F").median, 0.529, 0.02);
  EXPECT_NEAR(comm_of("G").mean, 1.9, 0.05);
}

TEST(PaceLaw, SomeHaveALeastDelay) {
  EXPECT_LT(comm_of("A").least, 0.001);
  EXPECT_NEAR(comm_of("E").least, 0.5, 0.001);
  EXPECT_NEAR(comm_of("F").least, 1.0 / 3, 0.001);
  EXPECT_NEAR(comm_of("G").least, 0.8, 0.001);
}

TEST(PaceLaw, SlowWorkersAreSlowInComputationOnly) {
  EXPECT_NEAR(comm_of("H").mean, 1, 0.02);
  EXPECT_NEAR(compute_of("H", 9).mean, 10, 0.1);
  EXPECT_NEAR(compute_of("H", 10).mean, 1, 0.02);
}

TEST(PaceLaw, NamesAreKnownAndDiffer) {
  for (const PaceLaw& law : pace_laws()) EXPECT_EQ(find_pace_law(law.name), &law);
  EXPECT_EQ(find_pace_law("Z"), nullptr);
  EXPECT_EQ(find_pace_law(""), nullptr);
}

}  // namespace
}  // namespace godwit::sim
