// base/metrics.cc: the registry and the sums.
// Thread-safe as metrics.h says.
#include "base/metrics.h"

#include "base/check.h"

namespace godwit {

CounterCell* Counter::make_cell() {
  const MutexLock lock(mutex_);
  return &cells_.emplace_back();
}

std::uint64_t Counter::value() const {
  const MutexLock lock(mutex_);
  std::uint64_t sum = 0;
  for (const CounterCell& cell : cells_) sum += cell.value_.load(std::memory_order_relaxed);
  return sum;
}

bool Metrics::is_valid_name(std::string_view name) {
  char before = '.';
  for (const char c : name) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_word && (c != '.' || before == '.')) return false;
    before = c;
  }
  return before != '.';
}

template <class Kind>
Kind& Metrics::find_or_make(std::string_view name) {
  GODWIT_CHECK(is_valid_name(name));
  const MutexLock lock(mutex_);
  auto found = metrics_.find(name);
  if (found == metrics_.end()) {
    found = metrics_.emplace(std::string(name), std::make_unique<Kind>()).first;
  }
  auto* metric = std::get_if<std::unique_ptr<Kind>>(&found->second);
  GODWIT_CHECK(metric != nullptr && "a metric of another kind has this name");
  return **metric;
}

Counter& Metrics::counter(std::string_view name) {
  return find_or_make<Counter>(name);
}
Gauge& Metrics::gauge(std::string_view name) {
  return find_or_make<Gauge>(name);
}
Histogram& Metrics::histogram(std::string_view name) {
  return find_or_make<Histogram>(name);
}

namespace {
std::uint64_t reading(const Counter& counter) {
  return counter.value();
}
std::int64_t reading(const Gauge& gauge) {
  return gauge.value();
}
HistogramSnapshot reading(const Histogram& histogram) {
  return histogram.snapshot();
}
}  // namespace

std::vector<MetricSample> Metrics::snapshot() const {
  const MutexLock lock(mutex_);
  std::vector<MetricSample> samples;
  samples.reserve(metrics_.size());
  for (const auto& [name, metric] : metrics_) {
    std::visit([&, &key = name](const auto& m) { samples.push_back({key, reading(*m)}); }, metric);
  }
  return samples;
}

}  // namespace godwit
