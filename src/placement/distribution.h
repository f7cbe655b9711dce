// placement/distribution.h: which keys samples are drawn from, and how often each.
// Immutable; thread-safe. Cheap to copy: copies share one table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/alias_table.h"
#include "base/prng.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

// A distribution over the keys 0 .. size - 1. The same seed gives the same draws on every platform.
class Distribution {
 public:
  // Every key alike. Fails with kInvalidArgument if size is 0.
  static Result<Distribution> uniform(std::uint64_t size);

  // P(key) = log((key + 2) / (key + 1)) / log(size + 1): close to Zipf's law for keys sorted by
  // falling frequency, without a table. Fails with kInvalidArgument if size is 0.
  static Result<Distribution> log_uniform(std::uint64_t size);

  // P(key) = counts[key] / sum of counts; see AliasTable::make for what fails and for rounding.
  static Result<Distribution> weighted(std::span<const double> counts);

  // A key, independent of earlier ones, in constant (expected) time.
  Key draw(Prng& prng) const;

  // How likely a draw is to give `key`; zero for keys >= size().
  double probability(Key key) const;

  std::uint64_t size() const { return size_; }

 private:
  enum class Kind { kUniform, kLogUniform, kWeighted };

  Distribution(Kind kind, std::uint64_t size, std::shared_ptr<const AliasTable> table = nullptr);

  Kind kind_;
  std::uint64_t size_;
  double factor_;                            // what makes probabilities add up to one
  std::shared_ptr<const AliasTable> table_;  // set iff weighted
};

}  // namespace godwit
