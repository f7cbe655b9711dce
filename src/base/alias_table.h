// base/alias_table.h: draws keys in proportion to given weights in constant time (Walker and
// Vose). Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

// A draw picks a column evenly, then that column's own key or its alias: two random numbers and
// one cache line, however uneven the weights are. 16 bytes a key.
class AliasTable {
 public:
  struct Column {
    std::uint64_t keep_below;  // of 2^64: the share of this column that is its own key's
    std::uint32_t alias;       // whose the rest is
    float weight;              // of this column's own key, the heaviest being in [0.5, 1]
  };

  // Key k gets the weight counts[k]. Weights are kept as floats: exact for counts of at most 24
  // significant bits, otherwise rounded by at most one part in 16 million, and what is drawn is
  // what probability() says. A zero (or less than 1e-45 of the heaviest) is never drawn.
  // Fails with kInvalidArgument if there are no counts or more than 2^32, if one is negative or
  // not finite, or if all are zero.
  static Result<AliasTable> make(std::span<const double> counts);

  Key draw(Prng& prng) const {
    const Key key = prng.below(columns_.size());
    const Column& column = columns_[key];
    return prng.next() < column.keep_below ? key : column.alias;
  }

  // Zero for keys that are not in the table.
  double probability(Key key) const {
    return key < columns_.size() ? static_cast<double>(columns_[key].weight) / total_ : 0;
  }

  std::uint64_t size() const { return columns_.size(); }
  std::span<const Column> columns() const { return columns_; }

 private:
  AliasTable(std::vector<Column> columns, double total);

  std::vector<Column> columns_;
  double total_;  // of the weights
};

}  // namespace godwit
