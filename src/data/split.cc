// data/split.cc: parts of whole sets.
#include "data/split.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

namespace {

// Shares of what is there already are not asked for again.
Result<SplitSpec> needed(SplitSpec spec, bool has_valid, bool has_test) {
  GODWIT_TRY(spec.validate());
  if (has_valid) spec.valid = 0;
  if (has_test) spec.test = 0;
  return spec;
}

Result<> check_part(std::size_t size, double share, const char* what, std::size_t total) {
  if (share == 0 || size > 0) return {};
  return invalid_argument("{} entries are too few for a {} part of {:.1f} %", total, what,
                          100 * share);
}

void append_row(const SparseRows& from, std::size_t row, SparseRows& to) {
  const auto begin = static_cast<std::ptrdiff_t>(from.begins[row]);
  const auto end = static_cast<std::ptrdiff_t>(from.begins[row + 1]);
  to.features.insert(to.features.end(), from.features.begin() + begin, from.features.begin() + end);
  to.values.insert(to.values.end(), from.values.begin() + begin, from.values.begin() + end);
  to.end_row(from.labels[row]);
}

std::uint64_t hash_of(const Triple& triple, std::uint64_t seed) {
  return mix64(mix64(mix64(seed, triple.head), triple.relation), triple.tail);
}

// Numbers of the triples in the order of their hashes; those that occur twice are left out, for
// what is tested must not be in train.
std::vector<std::uint64_t> by_hash(std::span<const Triple> triples, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes(triples.size());
  for (std::size_t i = 0; i < triples.size(); ++i) hashes[i] = hash_of(triples[i], seed);
  std::vector<std::uint64_t> order(triples.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::sort(order, [&](std::uint64_t a, std::uint64_t b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : a < b;
  });
  std::vector<std::uint64_t> once;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t hash = hashes[order[i]];
    const bool again = (i > 0 && hashes[order[i - 1]] == hash) ||
                       (i + 1 < order.size() && hashes[order[i + 1]] == hash);
    if (!again) once.push_back(order[i]);
  }
  return once;
}

}  // namespace

Result<> SplitSpec::validate() const {
  if (!(valid >= 0) || !(test >= 0) || !(valid + test < 1)) {
    return invalid_argument(
        "shares of {} to validate and {} to test: they must not be negative and leave something to "
        "train on",
        valid, test);
  }
  return {};
}

Result<> split_ratings(Ratings& ratings, const SplitSpec& wanted) {
  GODWIT_TRY_ASSIGN(const SplitSpec spec,
                    needed(wanted, !ratings.valid.empty(), !ratings.test.empty()));
  if (spec.valid == 0 && spec.test == 0) return {};
  const std::size_t total = ratings.train.size();
  Parts<Rating> parts = split(ratings.train, spec);
  GODWIT_TRY(check_part(parts.valid.size(), spec.valid, "validation", total));
  GODWIT_TRY(check_part(parts.test.size(), spec.test, "test", total));
  GODWIT_TRY(check_part(parts.train.size(), 1, "training", total));
  ratings.train = std::move(parts.train);
  if (spec.valid > 0) ratings.valid = std::move(parts.valid);
  if (spec.test > 0) ratings.test = std::move(parts.test);
  return {};
}

Result<> split_sparse(SparseSet& set, const SplitSpec& wanted) {
  GODWIT_TRY_ASSIGN(const SplitSpec spec,
                    needed(wanted, set.valid.size() > 0, set.test.size() > 0));
  if (spec.valid == 0 && spec.test == 0) return {};
  SparseRows train;
  SparseRows valid;
  SparseRows test;
  for (std::size_t i = 0; i < set.train.size(); ++i) {
    const Part part = part_of(spec, i);
    append_row(set.train, i, part == Part::kTest ? test : part == Part::kValid ? valid : train);
  }
  GODWIT_TRY(check_part(valid.size(), spec.valid, "validation", set.train.size()));
  GODWIT_TRY(check_part(test.size(), spec.test, "test", set.train.size()));
  GODWIT_TRY(check_part(train.size(), 1, "training", set.train.size()));
  set.train = std::move(train);
  if (spec.valid > 0) set.valid = std::move(valid);
  if (spec.test > 0) set.test = std::move(test);
  return {};
}

Result<> split_graph(Graph& graph, const SplitSpec& wanted) {
  GODWIT_TRY_ASSIGN(const SplitSpec spec,
                    needed(wanted, !graph.valid.empty(), !graph.test.empty()));
  if (spec.valid == 0 && spec.test == 0) return {};
  const std::size_t total = graph.train.size();
  const auto count_of = [&](double share) {
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(total)));
  };
  const std::size_t tests = count_of(spec.test);
  const std::size_t valids = count_of(spec.valid);

  std::vector<std::uint64_t> of_entity(graph.entities.size());
  std::vector<std::uint64_t> of_relation(graph.relations.size());
  for (const Triple& triple : graph.train) {
    ++of_entity[triple.head];
    ++of_entity[triple.tail];
    ++of_relation[triple.relation];
  }
  const std::vector<std::uint64_t> order = by_hash(graph.train, spec.seed);
  std::vector<bool> taken(total);
  std::vector<Triple> held_out;
  for (const std::uint64_t i : order) {
    if (held_out.size() == tests + valids) break;
    const Triple& triple = graph.train[i];
    const std::uint64_t needs = triple.head == triple.tail ? 3 : 2;
    if (of_entity[triple.head] < needs || of_entity[triple.tail] < needs ||
        of_relation[triple.relation] < 2) {
      continue;
    }
    --of_entity[triple.head];
    --of_entity[triple.tail];
    --of_relation[triple.relation];
    taken[i] = true;
    held_out.push_back(triple);
  }
  // Dealt out so that too few of them are too few for both.
  std::vector<Triple> test;
  std::vector<Triple> valid;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const bool to_test =
        valids == 0 || (tests != 0 && test.size() * valids <= valid.size() * tests);
    (to_test ? test : valid).push_back(held_out[i]);
  }
  GODWIT_TRY(check_part(valid.size(), spec.valid, "validation", total));
  GODWIT_TRY(check_part(test.size(), spec.test, "test", total));
  std::vector<Triple> train;
  for (std::size_t i = 0; i < total; ++i) {
    if (!taken[i]) train.push_back(graph.train[i]);
  }
  graph.train = std::move(train);
  if (spec.valid > 0) graph.valid = std::move(valid);
  if (spec.test > 0) graph.test = std::move(test);
  return {};
}

}  // namespace godwit
