// store/table_spec.cc: checks of a table's spec, and the words for consistency.
#include "godwit/table_spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::array<std::string_view, 6> kPlacements = {
    "intent", "intent_plain", "static", "replicate_all", "relocate_only", "replicate_only"};

constexpr std::size_t kNameLengthMax = 128;
constexpr std::uint32_t kRowLengthMax = 1U << 24;
// A bounded table's index must be addressable: 2^40 rows are 4 TiB of it.
constexpr std::uint64_t kBoundedRowsMax = std::uint64_t{1} << 40;
constexpr std::int64_t kStalenessMax = 1'000'000;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

Result<> validate_name(const std::string& name) {
  if (name.empty()) return invalid_argument("a table needs a name");
  if (name.size() > kNameLengthMax) {
    return invalid_argument("table name '{}...' has {} letters, at most {} are allowed",
                            name.substr(0, 20), name.size(), kNameLengthMax);
  }
  if (!std::all_of(name.begin(), name.end(), is_name_letter)) {
    return invalid_argument("table name '{}' may hold only letters, digits, '_', '-' and '.'",
                            name);
  }
  return {};
}

Result<> validate_init(const Init& init) {
  if (init.kind > InitKind::kNormal) {
    return invalid_argument("init: unknown kind {}", static_cast<int>(init.kind));
  }
  const bool is_width = init.kind == InitKind::kUniform || init.kind == InitKind::kNormal;
  if (!std::isfinite(init.scale) || (is_width && init.scale < 0)) {
    return invalid_argument("init: scale is {}, but must be finite{}", init.scale,
                            is_width ? " and not negative" : "");
  }
  return {};
}

Result<> validate_consistency(const Consistency& consistency) {
  if (consistency.kind > ConsistencyKind::kAuto) {
    return invalid_argument("consistency: unknown kind {}", static_cast<int>(consistency.kind));
  }
  if (consistency.kind == ConsistencyKind::kSsp &&
      (consistency.staleness < 0 || consistency.staleness > kStalenessMax)) {
    return invalid_argument("consistency: staleness is {}, but must be 0 to {}",
                            consistency.staleness, kStalenessMax);
  }
  return {};
}

Result<> validate_fields(const TableSpec& spec) {
  if (spec.row_length == 0 || spec.row_length > kRowLengthMax) {
    return invalid_argument("row_length is {}, but must be 1 to {}", spec.row_length,
                            kRowLengthMax);
  }
  if (spec.rows == 0 || (spec.rows != kUnbounded && spec.rows > kBoundedRowsMax)) {
    return invalid_argument("rows is {}, but must be 1 to {}, or kUnbounded", spec.rows,
                            kBoundedRowsMax);
  }
  GODWIT_TRY(spec.rule.validate());
  GODWIT_TRY(validate_init(spec.init));
  if (spec.placement > Placement::kReplicateOnly) {
    return invalid_argument("placement: unknown kind {}", static_cast<int>(spec.placement));
  }
  if (spec.codec > Codec::kInt8) {
    return invalid_argument("codec: unknown kind {}", static_cast<int>(spec.codec));
  }
  GODWIT_TRY(validate_consistency(spec.consistency));
  if (spec.consistency.kind != ConsistencyKind::kAsync && spec.codec != Codec::kFp32) {
    return invalid_argument("codec {} needs consistency async, but it is {}", to_string(spec.codec),
                            to_string(spec.consistency));
  }
  return {};
}

}  // namespace

Init Init::zeros() {
  return {};
}

Init Init::constant(float value) {
  return {.kind = InitKind::kConstant, .scale = value};
}

Init Init::uniform(float half_width, std::uint64_t seed) {
  return {.kind = InitKind::kUniform, .scale = half_width, .seed = seed};
}

Init Init::normal(float deviation, std::uint64_t seed) {
  return {.kind = InitKind::kNormal, .scale = deviation, .seed = seed};
}

Init Init::xavier(std::uint32_t row_length, std::uint64_t seed) {
  return uniform(std::sqrt(3.0F / static_cast<float>(row_length)), seed);
}

Result<Consistency> Consistency::parse(std::string_view text) {
  if (text == "async") return Consistency{};
  if (text == "bsp") return Consistency{.kind = ConsistencyKind::kBsp};
  if (text == "auto") return Consistency{.kind = ConsistencyKind::kAuto};
  if (text.starts_with("ssp:")) {
    const auto staleness = parse_number<std::int64_t>(text.substr(4));
    if (staleness && *staleness >= 0) {
      return Consistency{.kind = ConsistencyKind::kSsp, .staleness = *staleness};
    }
  }
  return invalid_argument("consistency '{}' is none of async, ssp:S (S a number from 0), bsp, auto",
                          text);
}

Result<Placement> parse_placement(std::string_view text) {
  for (std::size_t i = 0; i < kPlacements.size(); ++i) {
    if (kPlacements[i] == text) return static_cast<Placement>(i);
  }
  return invalid_argument("placement '{}' is none of {}", text, fmt::join(kPlacements, ", "));
}

std::string to_string(Placement placement) {
  const auto index = static_cast<std::size_t>(placement);
  return index < kPlacements.size() ? std::string(kPlacements[index]) : "unknown";
}

std::string to_string(const Consistency& consistency) {
  switch (consistency.kind) {
    case ConsistencyKind::kAsync:
      return "async";
    case ConsistencyKind::kSsp:
      return fmt::format("ssp:{}", consistency.staleness);
    case ConsistencyKind::kBsp:
      return "bsp";
    case ConsistencyKind::kAuto:
      return "auto";
  }
  return "unknown";
}

Result<> TableSpec::validate() const {
  GODWIT_TRY(validate_name(name));
  auto fields = validate_fields(*this);
  if (!fields.ok()) return std::move(fields).error().in_context(fmt::format("table '{}'", name));
  return {};
}

}  // namespace godwit
