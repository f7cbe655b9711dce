// data/zipf_graph.h: a knowledge graph with a known optimum. Pure functions.
#pragma once

#include <cstdint>

#include "data/triples.h"
#include "godwit/result.h"

namespace godwit {

// Entities are dealt to blocks on a circle; relation r leads from block b to block b + shift(r).
// A triple: a block and a relation at random, a head from the block and a tail from the block that
// the relation leads to, both by Zipf popularity within the block; with probability `noise` the
// tail's block is any. So rotations of the circle (ComplEx with 2 or more dimensions) explain it.
struct ZipfGraphSpec {
  std::uint32_t entities = 10'000;
  std::uint32_t relations = 10;
  std::uint32_t blocks = 500;
  std::uint64_t triples = 200'000;  // distinct ones, to train on
  std::uint64_t held_out = 5'000;   // each for valid and test; none of them in train
  double zipf = 1.0;
  double noise = 0.0;
  std::uint64_t seed = 1;

  // kInvalidArgument naming the field; also if the triples would be more than half of the
  // likely ones, so that drawing distinct ones would not end.
  Result<> validate() const;
};

// Entities are e0, e1, ... and relations r0, ...; popular entities are scattered over all numbers.
// optimal_mrr and optimal_hits10: of the model that ranks by the true probabilities, on (at most
// 5,000 of) the test triples, filtered by all three parts. REQUIRES: spec.validate().
Graph make_zipf_graph(const ZipfGraphSpec& spec);

}  // namespace godwit
