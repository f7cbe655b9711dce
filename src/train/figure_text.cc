// train/figure_text.cc: by name, since 1.0000 may be a count or a share.
#include "train/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/number_text.h"

namespace godwit {
namespace {

constexpr std::array<std::string_view, 3> kCounts{"counts_off", "questions", "support"};
constexpr double kCountMax = 9007199254740992;  // whole numbers are exact up to this

bool is_count(std::string_view name, double value) {
  return std::ranges::find(kCounts, name) != kCounts.end() && value >= 0 && value <= kCountMax &&
         value == std::floor(value);
}

}  // namespace

std::string figure_text(std::string_view name, double value) {
  if (is_count(name, value)) return with_commas(static_cast<std::uint64_t>(value));
  if (name == "perplexity") return fmt::format("{:.1f}", value);
  return fmt::format("{:.4f}", value);
}

}  // namespace godwit
