// train/kge_batches.cc: numbers the rows of a batch by arrays over all entities and relations.
#include "train/kge_batches.h"

#include <algorithm>

namespace godwit {

KgeBatches::KgeBatches(const KgeModel& model, std::uint32_t entities, std::uint32_t relations,
                       std::uint32_t negatives)
    : has_reciprocals_(model.reciprocal),
      relations_(relations),
      negatives_(negatives),
      entity_places_(entities),
      relation_places_(relations) {}

std::uint32_t KgeBatches::place(std::vector<std::uint32_t>& places, Key key,
                                std::vector<Key>& keys) {
  std::uint32_t& found = places[key];
  if (found == 0) {
    keys.push_back(key);
    found = static_cast<std::uint32_t>(keys.size());
  }
  return found - 1;
}

void KgeBatches::draw(Prng& prng, KgeFacts& batch) {
  const std::size_t others = entity_places_.size() - batch.own_entities;
  if (negatives_ >= others) {
    for (Key key = 0; key < entity_places_.size(); ++key) {
      place(entity_places_, key, batch.entities);
    }
    return;
  }
  // Few of all are taken, unless the graph is small: then what is drawn twice is drawn anew.
  while (batch.entities.size() < batch.own_entities + negatives_) {
    place(entity_places_, prng.below(entity_places_.size()), batch.entities);
  }
  batch.drawn_weight = static_cast<float>(others) / static_cast<float>(negatives_);
}

KgeFacts KgeBatches::make(std::span<const Triple> graph, std::span<const std::uint64_t> facts,
                          std::uint64_t seed) {
  KgeFacts batch;
  for (const std::uint64_t number : facts) {
    const Triple& fact = graph[number];
    const std::uint32_t head = place(entity_places_, fact.head, batch.entities);
    const std::uint32_t tail = place(entity_places_, fact.tail, batch.entities);
    batch.facts.push_back({head, place(relation_places_, fact.relation, batch.relations), tail});
  }
  batch.own_entities = batch.entities.size();
  batch.relation_count = batch.relations.size();
  Prng prng(seed);
  if (!facts.empty()) draw(prng, batch);
  for (const Key key : batch.entities) entity_places_[key] = 0;
  for (const Key key : batch.relations) relation_places_[key] = 0;
  for (std::size_t i = 0; has_reciprocals_ && i < batch.relation_count; ++i) {
    batch.relations.push_back(batch.relations[i] + relations_);
  }
  return batch;
}

}  // namespace godwit
