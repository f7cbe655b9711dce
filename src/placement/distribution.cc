// placement/distribution.cc: drawing without libm, whose last bit differs between platforms.
#include "placement/distribution.h"

#include <bit>
#include <cmath>
#include <utility>

#include "base/errors.h"

namespace godwit {
namespace {

// The whole part of a number x with density 1/x on [1, size + 1), less one. Octaves [2^e, 2^(e+1))
// of that density are equally likely and look alike: so an even choice of the octave, a place in
// it kept with probability 1 / (1 .. 2), and another try if the result is beyond the last key.
// At least 0.69 * 0.77 of all tries succeed. Exact: integers only.
Key draw_log_uniform(std::uint64_t size, Prng& prng) {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  const auto octaves = static_cast<std::uint64_t>(std::bit_width(size));
  for (;;) {
    const std::uint64_t octave = prng.below(octaves);
    const std::uint64_t place = prng.next() | kTopBit;  // x scaled to [2^63, 2^64)
    if (prng.below(place) >= kTopBit) continue;
    const std::uint64_t whole = place >> (63 - octave);
    if (whole <= size) return whole - 1;
  }
}

}  // namespace

Distribution::Distribution(Kind kind, std::uint64_t size, std::shared_ptr<const AliasTable> table)
    : kind_(kind), size_(size), factor_(1), table_(std::move(table)) {
  if (kind == Kind::kUniform) factor_ = 1 / static_cast<double>(size);
  if (kind == Kind::kLogUniform) factor_ = 1 / std::log1p(static_cast<double>(size));
}

Result<Distribution> Distribution::uniform(std::uint64_t size) {
  if (size == 0) return invalid_argument("a uniform distribution over 0 keys");
  return Distribution(Kind::kUniform, size);
}

Result<Distribution> Distribution::log_uniform(std::uint64_t size) {
  if (size == 0) return invalid_argument("a log-uniform distribution over 0 keys");
  return Distribution(Kind::kLogUniform, size);
}

Result<Distribution> Distribution::weighted(std::span<const double> counts) {
  Result<AliasTable> table = AliasTable::make(counts);
  if (!table.ok()) return std::move(table).error().in_context("a weighted distribution");
  return Distribution(Kind::kWeighted, counts.size(),
                      std::make_shared<const AliasTable>(std::move(table).value()));
}

Key Distribution::draw(Prng& prng) const {
  switch (kind_) {
    case Kind::kUniform:
      return prng.below(size_);
    case Kind::kLogUniform:
      return draw_log_uniform(size_, prng);
    case Kind::kWeighted:
      break;
  }
  return table_->draw(prng);
}

double Distribution::probability(Key key) const {
  if (key >= size_) return 0;
  switch (kind_) {
    case Kind::kUniform:
      return factor_;
    case Kind::kLogUniform:
      return std::log1p(1 / (static_cast<double>(key) + 1)) * factor_;
    case Kind::kWeighted:
      break;
  }
  return table_->probability(key);
}

}  // namespace godwit
