// data/split.h: seeded random parts of sets that come without. An entry's part is a hash of the
// seed and its number: it depends neither on the number of nodes nor on threads. Pure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "data/ratings.h"
#include "data/sparse_rows.h"
#include "data/triples.h"
#include "godwit/result.h"

namespace godwit {

enum class Part { kTrain, kValid, kTest };

struct SplitSpec {
  double valid = 0.05;  // shares
  double test = 0.1;
  std::uint64_t seed = 1;

  // kInvalidArgument if a share is negative or nothing is left to train on.
  Result<> validate() const;
};

inline Part part_of(const SplitSpec& spec, std::uint64_t index) {
  const double place = unit_double(mix64(spec.seed, index));
  if (place < spec.test) return Part::kTest;
  return place < spec.test + spec.valid ? Part::kValid : Part::kTrain;
}

template <class T>
struct Parts {
  std::vector<T> train, valid, test;
};

// Keeps the order within a part.
template <class T>
Parts<T> split(std::vector<T> all, const SplitSpec& spec) {
  Parts<T> parts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Part part = part_of(spec, i);
    auto& to = part == Part::kTest ? parts.test : part == Part::kValid ? parts.valid : parts.train;
    to.push_back(std::move(all[i]));
  }
  return parts;
}

// Take from `train` what is missing: a part that is there already stays as it is. kInvalidArgument
// of validate(), or if a part would be empty.
Result<> split_ratings(Ratings& ratings, const SplitSpec& spec);
Result<> split_sparse(SparseSet& set, const SplitSpec& spec);
// The same, but an entity or relation keeps at least one triple in train. Chosen by a hash of the
// triple's numbers, so exactly round(share * triples) are taken, as far as there are enough.
Result<> split_graph(Graph& graph, const SplitSpec& spec);

}  // namespace godwit
