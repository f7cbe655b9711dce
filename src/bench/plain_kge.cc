// bench/plain_kge.cc: knowledge-graph embeddings on two arrays, batch by batch: rows are copied
// into dense matrices as the task does it, and changed in place.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/try.h"
#include "bench/plain_rows.h"
#include "bench/plain_training.h"
#include "train/adagrad_rows.h"
#include "train/example_order.h"
#include "train/kge_batches.h"
#include "train/kge_step.h"
#include "train/kge_task.h"

namespace godwit {
namespace {

constexpr std::size_t kAhead = 4;  // rows that memory is asked for; leases do so too

class PlainKge final : public PlainTraining {
 public:
  PlainKge(KgeSetup setup, const Graph& graph, const PlainWork& work, PlainRows entities,
           PlainRows relations)
      : setup_(std::move(setup)),
        graph_(graph),
        work_(work),
        entities_(std::move(entities)),
        relations_(std::move(relations)) {
    orders_.open(work.workers);
  }

  void begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    orders_.draw(graph_.train.size(), work_.segments, setup_.seed, epoch);
  }

  void train(const WorkerShare& share, std::int64_t segment, Sums& sums) override {
    const ExampleOrder& order = orders_.of(share);
    const std::size_t batches =
        ticks_of_segment(graph_.train.size(), work_.segments, share.count, setup_.batch);
    KgeBatches maker(setup_.model, static_cast<std::uint32_t>(graph_.entities.size()),
                     static_cast<std::uint32_t>(graph_.relations.size()), setup_.negatives);
    KgeStep step(setup_.model, setup_.objective);
    Matrix entities;
    Matrix relations;
    const std::uint64_t stream = setup_.seed_of(epoch_ * work_.segments + segment, share);
    for (std::size_t i = 0; i < batches; ++i) {
      const KgeFacts batch =
          maker.make(graph_.train, order.part(segment, i, batches), mix64(stream, i));
      if (batch.facts.empty()) continue;
      const double part =
          (static_cast<double>(segment) + static_cast<double>(i) / static_cast<double>(batches)) /
          static_cast<double>(work_.segments);
      copy(entities_, batch.entities, entities);
      copy(relations_, batch.relations, relations);
      const KgeBatchLoss loss = step.run({.entities = entities.values,
                                          .relations = relations.values,
                                          .relation_count = batch.relation_count,
                                          .facts = batch.facts,
                                          .own_entities = batch.own_entities,
                                          .drawn_weight = batch.drawn_weight},
                                         entities.gradients, relations.gradients);
      const float rate = setup_.rate_at(epoch_, part);
      apply(entities.gradients, rate, entities_, batch.entities);
      apply(relations.gradients, rate, relations_, batch.relations);
      sums["loss"] += loss.loss;
      sums["examples"] += 2 * static_cast<double>(batch.facts.size());
    }
  }

 private:
  struct Matrix {
    std::vector<float> values;
    std::vector<float> gradients;
  };

  static void copy(const PlainRows& rows, const std::vector<Key>& keys, Matrix& matrix) {
    matrix.values.resize(keys.size() * rows.length());
    matrix.gradients.resize(keys.size() * rows.length());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) rows.prefetch(keys[i + kAhead]);
      std::copy_n(rows[keys[i]], rows.length(), matrix.values.data() + i * rows.length());
    }
  }
  static void apply(const std::vector<float>& gradients, float rate, const PlainRows& rows,
                    const std::vector<Key>& keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i + kAhead < keys.size()) rows.prefetch(keys[i + kAhead]);
      float* const row = rows[keys[i]];
      step_adagrad(gradients.data() + i * rows.length(), rows.length(), rate, row,
                   row + rows.length());
    }
  }

  const KgeSetup setup_;
  const Graph& graph_;
  const PlainWork work_;
  const PlainRows entities_;
  const PlainRows relations_;
  WorkerOrders orders_;
  std::int64_t epoch_ = 0;
};

}  // namespace

Result<std::unique_ptr<PlainTraining>> make_plain_kge(const Settings& settings, const Graph& graph,
                                                      const PlainWork& work) {
  KgeSetup setup = kge_setup_of(settings, graph);
  GODWIT_TRY_ASSIGN(PlainRows entities, PlainRows::make(setup.entities));
  GODWIT_TRY_ASSIGN(PlainRows relations, PlainRows::make(setup.relations));
  return std::unique_ptr<PlainTraining>(std::make_unique<PlainKge>(
      std::move(setup), graph, work, std::move(entities), std::move(relations)));
}

}  // namespace godwit
