// godwit/table_spec.h: what a table is: its size, its rule, how rows begin, how old reads may be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "godwit/result.h"
#include "godwit/rule.h"

namespace godwit {

// `rows` of a table whose keys are any 64-bit numbers (hashed features, for example).
inline constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

enum class InitKind : std::uint8_t { kZeros, kConstant, kUniform, kNormal };

// What a row holds before anyone writes it: a function of (seed, key) alone, so that it needs no
// pushes, is the same wherever the row is first touched, and makes a job reproducible.
struct Init {
  InitKind kind = InitKind::kZeros;
  float scale = 0;  // the constant, the half-width, or the standard deviation
  std::uint64_t seed = 0;

  static Init zeros();
  static Init constant(float value);
  // Uniform in [-half_width, half_width).
  static Init uniform(float half_width, std::uint64_t seed = 0);
  static Init normal(float deviation, std::uint64_t seed = 0);
  // Uniform with half-width sqrt(3 / row_length): rows of expected squared length 1.
  static Init xavier(std::uint32_t row_length, std::uint64_t seed = 0);

  friend bool operator==(const Init&, const Init&) = default;
};

enum class ConsistencyKind : std::uint8_t { kAsync, kSsp, kBsp, kAuto };

// How old a value may be when it is read: "async", "ssp:S", "bsp" or "auto".
struct Consistency {
  ConsistencyKind kind = ConsistencyKind::kAsync;
  std::int64_t staleness = 0;  // S of ssp, in ticks

  static Result<Consistency> parse(std::string_view text);

  friend bool operator==(const Consistency&, const Consistency&) = default;
};

std::string to_string(const Consistency& consistency);

struct TableSpec {
  std::string name;              // letters, digits, '_', '-', '.'; unique in the job
  std::uint64_t rows = 0;        // keys are 0 .. rows-1, or any number if kUnbounded
  std::uint32_t row_length = 0;  // value floats of a row
  Rule rule = Rule::add();
  Init init = Init::zeros();
  Consistency consistency = {};
  bool accept_nonfinite = false;  // true: a push or set may carry NaN and infinities

  // Fails with kInvalidArgument naming the field, its value and its limit.
  Result<> validate() const;

  friend bool operator==(const TableSpec&, const TableSpec&) = default;
};

}  // namespace godwit
