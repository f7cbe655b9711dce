// base/metrics_test.cc: names, kinds, sums, and writers that go on while others read.
#include "base/metrics.h"

#include <gtest/gtest.h>

#include <thread>

namespace godwit {
namespace {

TEST(Metrics, NamesAreLowercaseWordsJoinedByDots) {
  for (const char* good : {"a", "pull.keys", "net.bytes_in", "p99.x_1"}) {
    EXPECT_TRUE(Metrics::is_valid_name(good)) << good;
  }
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "Pull", "a b", "a-b", "a\n", "\xc3\xa4"}) {
    EXPECT_FALSE(Metrics::is_valid_name(bad)) << bad;
  }
}

TEST(MetricsDeathTest, RefuseBadNamesAndTwoKindsOfOneName) {
  Metrics metrics;
  EXPECT_DEATH(metrics.counter("Bad name"), "is_valid_name");
  metrics.counter("rows");
  EXPECT_DEATH(metrics.gauge("rows"), "another kind");
}

TEST(Metrics, OneNameIsOneMetric) {
  Metrics metrics;
  EXPECT_EQ(&metrics.counter("a"), &metrics.counter("a"));
  EXPECT_NE(&metrics.gauge("b"), &metrics.gauge("c"));
}

TEST(Counter, SumsItsCells) {
  Metrics metrics;
  CounterCell* first = metrics.counter("pull.keys").make_cell();
  CounterCell* second = metrics.counter("pull.keys").make_cell();
  first->add(3);
  second->add(4);
  first->add(1);
  EXPECT_EQ(metrics.counter("pull.keys").value(), 8U);
}

TEST(Counter, CellsShareNoCacheLine) {
  Counter counter;
  const auto a = reinterpret_cast<std::uintptr_t>(counter.make_cell());
  const auto b = reinterpret_cast<std::uintptr_t>(counter.make_cell());
  EXPECT_EQ(a % kCacheLineSize, 0U);
  EXPECT_NE(a / kCacheLineSize, b / kCacheLineSize);
}

TEST(Gauge, IsSetAndMoved) {
  Gauge gauge;
  gauge.set(10);
  gauge.add(-15);
  EXPECT_EQ(gauge.value(), -5);
}

TEST(Metrics, SnapshotListsEverythingByName) {
  Metrics metrics;
  metrics.histogram("wait").make_cell()->record(7);
  metrics.counter("push").make_cell()->add(2);
  metrics.gauge("rows").set(-1);
  const std::vector<MetricSample> samples = metrics.snapshot();
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].name, "push");
  EXPECT_EQ(std::get<std::uint64_t>(samples[0].value), 2U);
  EXPECT_EQ(samples[1].name, "rows");
  EXPECT_EQ(std::get<std::int64_t>(samples[1].value), -1);
  EXPECT_EQ(samples[2].name, "wait");
  EXPECT_EQ(std::get<HistogramSnapshot>(samples[2].value).max, 7U);
}

TEST(Metrics, WritersAndReadersNeedNoOrderAndTheFinalSumsAreExact) {
  constexpr std::uint64_t kEach = 50'000;
  Metrics metrics;
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 3; ++i) {
      writers.emplace_back([&metrics] {
        CounterCell* cell = metrics.counter("adds").make_cell();
        for (std::uint64_t k = 0; k < kEach; ++k) {
          cell->add(k % 3);
          if (k % 100 == 0) metrics.gauge("level").add(1);
        }
      });
    }
    std::uint64_t last = 0;
    for (int i = 0; i < 100; ++i) {
      for (const MetricSample& sample : metrics.snapshot()) {
        if (sample.name != "adds") continue;
        EXPECT_GE(std::get<std::uint64_t>(sample.value), last);
        last = std::get<std::uint64_t>(sample.value);
      }
    }
  }
  std::uint64_t expected = 0;
  for (std::uint64_t k = 0; k < kEach; ++k) expected += k % 3;
  EXPECT_EQ(metrics.counter("adds").value(), 3 * expected);
  EXPECT_EQ(metrics.gauge("level").value(), 3 * static_cast<std::int64_t>(kEach) / 100);
}

}  // namespace
}  // namespace godwit
