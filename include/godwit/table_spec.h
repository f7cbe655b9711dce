// godwit/table_spec.h: what a table is: its size, its rule, how rows begin, how old reads may be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "godwit/codec.h"
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

// How rows come to the nodes that use them. All give the same results; they differ in time and
// bytes.
enum class Placement : std::uint8_t {
  kIntent,         // rows used again and again move or are copied, others are fetched ahead
  kIntentPlain,    // every row that is wanted moves or is copied, however seldom it is used
  kStatic,         // rows stay at home and are fetched when a lease is opened
  kReplicateAll,   // every row that was ever wanted is copied, for good
  kRelocateOnly,   // rows that one node wants move to it; no copies for longer than a lease
  kReplicateOnly,  // rows that are wanted are copied; none moves
};

// "intent", "intent_plain", "static", "replicate_all", "relocate_only", "replicate_only".
Result<Placement> parse_placement(std::string_view text);
std::string to_string(Placement placement);

struct TableSpec {
  std::string name;              // letters, digits, '_', '-', '.'; unique in the job
  std::uint64_t rows = 0;        // keys are 0 .. rows-1, or any number if kUnbounded
  std::uint32_t row_length = 0;  // value floats of a row
  Rule rule = Rule::add();
  Init init = Init::zeros();
  Consistency consistency = {};
  bool accept_nonfinite = false;  // true: a push or set may carry NaN and infinities
  Placement placement = Placement::kIntent;
  // How changes and refreshes of copies travel. What is lost of a change goes with the next one.
  Codec codec = Codec::kFp32;
  bool scratch = false;  // true: worth nothing later, and so not in checkpoints

  // Fails with kInvalidArgument naming the field, its value and its limit.
  Result<> validate() const;

  friend bool operator==(const TableSpec&, const TableSpec&) = default;
};

}  // namespace godwit
