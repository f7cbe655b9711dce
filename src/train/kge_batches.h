// train/kge_batches.h: batches of facts with entities drawn to compare with: which rows they touch.
// Not thread-safe: one worker's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.h"
#include "data/triples.h"
#include "godwit/ids.h"
#include "train/kge_model.h"

namespace godwit {

struct KgeFacts {
  std::vector<Key> entities;   // distinct: those of the facts, then the drawn ones
  std::vector<Key> relations;  // distinct; with reciprocal rows those behind, in the same order
  std::vector<KgeFact> facts;  // by place among these
  std::size_t own_entities = 0;
  std::size_t relation_count = 0;
  float drawn_weight = 1;
};

class KgeBatches {
 public:
  // `negatives` entities are drawn for each batch, or all others if there are no more.
  KgeBatches(const KgeModel& model, std::uint32_t entities, std::uint32_t relations,
             std::uint32_t negatives);

  // The batch of these facts of a graph. Draws depend on `seed` alone.
  KgeFacts make(std::span<const Triple> graph, std::span<const std::uint64_t> facts,
                std::uint64_t seed);

 private:
  // The place of a key in `keys`, where it is put if it is not there.
  static std::uint32_t place(std::vector<std::uint32_t>& places, Key key, std::vector<Key>& keys);
  void draw(Prng& prng, KgeFacts& batch);

  const bool has_reciprocals_;
  const std::uint32_t relations_;
  const std::uint32_t negatives_;
  std::vector<std::uint32_t> entity_places_;  // 1 + place in the batch that is made; 0: not there
  std::vector<std::uint32_t> relation_places_;
};

}  // namespace godwit
