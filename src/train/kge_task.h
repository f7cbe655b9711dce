// train/kge_task.h: embeddings of a knowledge graph's entities and relations, trained to answer
// which entity completes a fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/triples.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "train/kge_model.h"
#include "train/kge_step.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// model, rank, epochs, learning_rate, penalty, batch, negatives, norm, init.
void add_kge_settings(Settings& settings);

// Replaces "auto" by what the graph and the model suggest. kInvalidArgument if the settings do not
// go together.
Result<> resolve_kge_settings(Settings& settings, const Graph& graph);

inline constexpr const char* kKgeEntities = "entities";
inline constexpr const char* kKgeRelations = "relations";

// The model that the settings name. REQUIRES: resolve_kge_settings().
KgeModel kge_model_of(const Settings& settings);

// What settings and graph make of the model; also for who learns it without tables.
struct KgeSetup {
  KgeModel model;
  KgeObjective objective;
  TableSpec entities;
  TableSpec relations;
  float learning_rate = 0;
  std::int64_t epochs = 0;
  std::size_t batch = 0;
  std::uint32_t negatives = 0;
  std::uint64_t seed = 0;

  // After this part of the epoch. Rises in the first, since several workers may take AdaGrad's long
  // first steps of a row at once, and falls to nothing over all.
  float rate_at(std::int64_t epoch, double part) const;
  // Of the batches that a worker draws in a segment; segments are counted over all epochs.
  std::uint64_t seed_of(std::int64_t segment, const WorkerShare& share) const;
};

// REQUIRES: resolve_kge_settings().
KgeSetup kge_setup_of(const Settings& settings, const Graph& graph);

// Tables `entities` and `relations`, rows as KgeModel says. REQUIRES: resolve_kge_settings().
std::unique_ptr<Task> make_kge_task(const Settings& settings, Graph graph);

}  // namespace godwit
