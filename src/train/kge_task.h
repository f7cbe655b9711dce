// train/kge_task.h: embeddings of a knowledge graph's entities and relations, trained to answer
// which entity completes a fact.
#pragma once

#include <memory>

#include "data/triples.h"
#include "godwit/result.h"
#include "train/kge_model.h"
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

// Tables `entities` and `relations`, rows as KgeModel says. REQUIRES: resolve_kge_settings().
std::unique_ptr<Task> make_kge_task(const Settings& settings, Graph graph);

}  // namespace godwit
