// report/metric_line.h: one record of a run; metrics.jsonl holds one a line.
// Not thread-safe: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "godwit/result.h"

namespace godwit {

using MetricValue = std::variant<double, std::int64_t, bool, std::string>;

// Named values in the order in which they were added.
struct MetricLine {
  std::vector<std::pair<std::string, MetricValue>> fields;

  // One overload per kind, so that `const char*` is not taken for a bool. REQUIRES: no field has
  // that name yet.
  MetricLine& add(std::string name, double value) { return add_value(std::move(name), value); }
  MetricLine& add(std::string name, bool value) { return add_value(std::move(name), value); }
  MetricLine& add(std::string name, int value) { return add(std::move(name), std::int64_t{value}); }
  MetricLine& add(std::string name, std::int64_t value) {
    return add_value(std::move(name), value);
  }
  // Counts beyond 2^63 become the largest number that can be told.
  MetricLine& add(std::string name, std::uint64_t value);
  MetricLine& add(std::string name, std::string value) {
    return add_value(std::move(name), std::move(value));
  }
  MetricLine& add(std::string name, const char* value) {
    return add(std::move(name), std::string(value));
  }

  // Nothing if there is no such field, or it is a text; a bool is 0 or 1. NaN if it was written as
  // NaN or infinite.
  std::optional<double> number(std::string_view name) const;
  // Empty if there is no such field, or it is not a text.
  std::string_view text(std::string_view name) const;

  // One object without a line end. A number that is not finite becomes null; bytes that are no
  // UTF-8 are replaced. Reading it back gives the same kinds and the same bits.
  std::string to_json() const;

  bool operator==(const MetricLine&) const = default;

 private:
  MetricLine& add_value(std::string name, MetricValue value);
};

// kCorruption if it is not one JSON object. null becomes NaN; fields that hold an array or an
// object, which a later version may write, are left out.
Result<MetricLine> parse_metric_line(std::string_view line);

}  // namespace godwit
