// base/metrics.h: named counters, gauges and histograms of a node, cheap enough for hot paths.
// Thread-safe, except that a cell has one writer at a time. No globals: a Metrics is passed in.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/cache_line.h"
#include "base/histogram.h"
#include "base/mutex.h"

namespace godwit {

// Written by one thread at a time, on a cache line of its own.
class alignas(kCacheLineSize) CounterCell {
 public:
  // A plain load and a plain store: no locked instruction, because nobody else writes here.
  void add(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

 private:
  friend class Counter;
  std::atomic<std::uint64_t> value_{0};
};

// Something that only grows.
class Counter {
 public:
  // A cell for one writer; it lives as long as the counter.
  CounterCell* make_cell() GODWIT_EXCLUDES(mutex_);
  // The sum of the cells, while their writers go on.
  std::uint64_t value() const GODWIT_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::deque<CounterCell> cells_ GODWIT_GUARDED_BY(mutex_);
};

// Something that goes up and down. Any thread may write.
class Gauge {
 public:
  void set(std::int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

struct MetricSample {
  std::string name;
  // What a counter, a gauge and a histogram hold, in this order.
  std::variant<std::uint64_t, std::int64_t, HistogramSnapshot> value;
};

class Metrics {
 public:
  // True for words of [a-z0-9_] joined by single dots, such as "pull.keys".
  static bool is_valid_name(std::string_view name);

  // The metric of this name, made at the first call; it lives as long as the Metrics.
  // REQUIRES: is_valid_name(name), and no metric of another kind has this name.
  Counter& counter(std::string_view name) GODWIT_EXCLUDES(mutex_);
  Gauge& gauge(std::string_view name) GODWIT_EXCLUDES(mutex_);
  Histogram& histogram(std::string_view name) GODWIT_EXCLUDES(mutex_);

  // All metrics, sorted by name.
  std::vector<MetricSample> snapshot() const GODWIT_EXCLUDES(mutex_);

 private:
  using Metric =
      std::variant<std::unique_ptr<Counter>, std::unique_ptr<Gauge>, std::unique_ptr<Histogram>>;

  template <class Kind>
  Kind& find_or_make(std::string_view name) GODWIT_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Metric, std::less<>> metrics_ GODWIT_GUARDED_BY(mutex_);
};

}  // namespace godwit
