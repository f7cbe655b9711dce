// train/kge_task.cc: batches with drawn entities, leased ahead; loss and gradients by KgeStep;
// AdaGrad in place.
#include "train/kge_task.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "train/adagrad_rows.h"
#include "train/common_settings.h"
#include "train/example_order.h"
#include "train/gemm.h"
#include "train/kge_batches.h"
#include "train/kge_ranking.h"
#include "train/kge_show.h"
#include "train/kge_step.h"
#include "train/pull_rows.h"

namespace godwit {
namespace {

constexpr std::size_t kBatchesAhead = 3;
constexpr std::uint64_t kSegmentFacts = 25'000;
constexpr double kFirstRate = 0.02;  // of the learning rate

std::vector<KgeFact> to_facts(std::span<const Triple> triples) {
  std::vector<KgeFact> facts;
  facts.reserve(triples.size());
  for (const Triple& triple : triples) {
    facts.push_back({triple.head, triple.relation, triple.tail});
  }
  return facts;
}

KnownFacts known_of(const Graph& graph) {
  const std::vector<KgeFact> train = to_facts(graph.train);
  const std::vector<KgeFact> valid = to_facts(graph.valid);
  const std::vector<KgeFact> test = to_facts(graph.test);
  const std::vector<std::span<const KgeFact>> splits{train, valid, test};
  return KnownFacts(splits);
}

KgeObjective objective_of(const Settings& settings) {
  const KgeModel model = kge_model_of(settings);
  return {.penalty = model.kind == KgeKind::kRescal ? KgePenalty::kSquare : KgePenalty::kCubic,
          .entity_penalty = settings.real("penalty"),
          .relation_penalty = settings.real("penalty")};
}

class KgeTask final : public Task {
 public:
  KgeTask(const Settings& settings, Graph graph)
      : graph_(std::move(graph)),
        setup_(kge_setup_of(settings, graph_)),
        model_(setup_.model),
        known_(known_of(graph_)) {}

  std::int64_t epochs() const override { return setup_.epochs; }
  std::int64_t segments() const override {
    return static_cast<std::int64_t>(graph_.train.size() / kSegmentFacts + 1);
  }
  std::int64_t judge_every() const override { return std::max<std::int64_t>(1, setup_.epochs / 6); }
  std::string quality_name() const override { return "mrr"; }
  bool is_larger_better() const override { return true; }
  bool has(Split split) const override { return !part(split).empty(); }
  std::vector<std::string> data_notes() const override { return graph_.understood.lines; }
  RowNames names() const override {
    std::vector<std::string> relations = graph_.relations;
    if (model_.reciprocal) {
      for (const std::string& relation : graph_.relations) relations.push_back(relation + "^-1");
    }
    return {{kKgeEntities, graph_.entities}, {kKgeRelations, std::move(relations)}};
  }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    GODWIT_TRY_ASSIGN(entities_, session.table(setup_.entities));
    GODWIT_TRY_ASSIGN(relations_, session.table(setup_.relations));
    orders_.open(session, workers_per_node);
    return {};
  }

  Result<> begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    orders_.draw(graph_.train.size(), segments(), setup_.seed, epoch);
    return {};
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    const ExampleOrder& order = orders_.of(share);
    const std::size_t batches =
        ticks_of_segment(graph_.train.size(), segments(), share.count, setup_.batch);
    KgeBatches maker(model_, static_cast<std::uint32_t>(graph_.entities.size()),
                     static_cast<std::uint32_t>(graph_.relations.size()), setup_.negatives);
    KgeStep step(model_, setup_.objective);
    Buffers buffers;
    std::deque<Leased> ahead;
    std::size_t made = 0;
    const std::uint64_t stream = setup_.seed_of(epoch_ * segments() + segment, share);
    for (std::size_t i = 0; i < batches; ++i) {
      for (; made < std::min(batches, i + 1 + kBatchesAhead); ++made) {
        const Tick tick{worker.tick().value() + static_cast<std::int64_t>(made - i)};
        GODWIT_TRY_ASSIGN(Leased leased,
                          lease(worker, tick,
                                maker.make(graph_.train, order.part(segment, made, batches),
                                           mix64(stream, made))));
        ahead.push_back(std::move(leased));
      }
      Leased leased = std::move(ahead.front());
      ahead.pop_front();
      const double part =
          (static_cast<double>(segment) + static_cast<double>(i) / static_cast<double>(batches)) /
          static_cast<double>(segments());
      GODWIT_TRY_ASSIGN(const double loss,
                        learn(worker, step, leased, setup_.rate_at(epoch_, part), buffers));
      const double questions = 2 * static_cast<double>(leased.batch.facts.size());
      if (questions > 0 && std::isfinite(loss)) {
        GODWIT_TRY(worker.report_objective(loss / questions));
      }
      GODWIT_TRY(worker.advance());
      sums["loss"] += loss;
      sums["examples"] += questions;
    }
    return {};
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    const auto [first, last] = share.of(part(split).size());
    const auto facts = to_facts(std::span(part(split)).subspan(first, last - first));
    KgeRankTally tally;
    if (!facts.empty()) {
      GODWIT_TRY_ASSIGN(const KgeMatrices rows, pull_all(worker));
      KgeRanking ranking(model_, graph_.entities.size(), graph_.relations.size(), known_);
      tally = ranking.rank(rows.rows(), facts);
    }
    const RankTally all = tally.all();
    sums["count"] += static_cast<double>(all.count);
    sums["reciprocal"] += all.reciprocal_sum;
    sums["hits1"] += static_cast<double>(all.hits1);
    sums["hits3"] += static_cast<double>(all.hits3);
    sums["hits10"] += static_cast<double>(all.hits10);
    return {};
  }

  Figures figures(Split split, const Sums& sums) const override {
    const double count = std::max(1.0, sums.at("count"));
    Figures figures{{"mrr", sums.at("reciprocal") / count},
                    {"hits1", sums.at("hits1") / count},
                    {"hits3", sums.at("hits3") / count},
                    {"hits10", sums.at("hits10") / count}};
    if (split == Split::kTest) {
      figures.emplace_back("popularity_mrr", popularity_mrr(graph_, part(split), known_));
      if (graph_.optimal_mrr > 0) figures.emplace_back("optimal_mrr", graph_.optimal_mrr);
    }
    return figures;
  }

  Result<std::vector<RunSection>> show(Worker& worker) override {
    GODWIT_TRY_ASSIGN(const KgeMatrices rows, pull_all(worker));
    return show_kge(graph_, model_, rows, known_);
  }

 private:
  struct Leased {
    KgeFacts batch;
    Lease entities;
    Lease relations;
  };
  struct Buffers {
    std::vector<float> entities;
    std::vector<float> relations;
    std::vector<float> entity_gradients;
    std::vector<float> relation_gradients;
  };

  const std::vector<Triple>& part(Split split) const {
    return split == Split::kValid ? graph_.valid : graph_.test;
  }

  Result<Leased> lease(Worker& worker, Tick tick, KgeFacts batch) const {
    const Tick next{tick.value() + 1};
    Leased leased{.batch = std::move(batch)};
    GODWIT_TRY_ASSIGN(leased.entities,
                      worker.intend(*entities_, leased.batch.entities, tick, next));
    GODWIT_TRY_ASSIGN(leased.relations,
                      worker.intend(*relations_, leased.batch.relations, tick, next));
    return leased;
  }

  Result<double> learn(Worker& worker, KgeStep& step, Leased& leased, float rate,
                       Buffers& buffers) const {
    const KgeFacts& batch = leased.batch;
    if (batch.facts.empty()) return 0.0;
    GODWIT_TRY(worker.open(leased.entities));
    GODWIT_TRY(worker.open(leased.relations));
    const std::size_t entity_floats = batch.entities.size() * model_.entity_length();
    const std::size_t relation_floats = batch.relations.size() * model_.relation_length();
    buffers.entities.resize(entity_floats);
    buffers.entity_gradients.resize(entity_floats);
    buffers.relations.resize(relation_floats);
    buffers.relation_gradients.resize(relation_floats);
    copy_rows(leased.entities, model_.entity_length(), buffers.entities.data());
    copy_rows(leased.relations, model_.relation_length(), buffers.relations.data());
    const KgeBatchLoss loss = step.run({.entities = buffers.entities,
                                        .relations = buffers.relations,
                                        .relation_count = batch.relation_count,
                                        .facts = batch.facts,
                                        .own_entities = batch.own_entities,
                                        .drawn_weight = batch.drawn_weight},
                                       buffers.entity_gradients, buffers.relation_gradients);
    apply_adagrad(leased.entities, buffers.entity_gradients, rate);
    apply_adagrad(leased.relations, buffers.relation_gradients, rate);
    GODWIT_TRY(worker.close(leased.entities));
    GODWIT_TRY(worker.close(leased.relations));
    return loss.loss;
  }

  Result<KgeMatrices> pull_all(Worker& worker) const {
    KgeMatrices rows;
    GODWIT_TRY(pull_rows(worker, *entities_, entities_->spec().rows, rows.entities));
    GODWIT_TRY(pull_rows(worker, *relations_, relations_->spec().rows, rows.relations));
    return rows;
  }

  const Graph graph_;
  const KgeSetup setup_;
  const KgeModel& model_;
  const KnownFacts known_;
  std::int64_t epoch_ = 0;
  std::optional<Table> entities_;
  std::optional<Table> relations_;
  WorkerOrders orders_;
};

}  // namespace

void add_kge_settings(Settings& settings) {
  settings.add_text("model", "complex", "how a fact is scored",
                    {"complex", "distmult", "transe", "rescal"});
  settings.add_count("rank", "auto", 1, 65536, "auto: by the model; numbers of an embedding");
  settings.add_count("epochs", "20", 1, 1'000'000, "times over the facts");
  settings.add_number("learning_rate", "auto", 1e-9, 100,
                      "auto: by the model; of AdaGrad, falls to 0 over the epochs");
  settings.add_number("penalty", "auto", 0, 100, "auto: by the model; N3, rescal: L2");
  settings.add_count("batch", "512", 1, 1'000'000, "facts of a tick");
  settings.add_count("negatives", "1000", 1, 1'000'000'000, "entities drawn for each batch");
  settings.add_text("norm", "l1", "of transe", {"l1", "l2"});
  settings.add_number("init", "0.01", 1e-9, 10, "standard deviation of first values");
}

Result<> resolve_kge_settings(Settings& settings, const Graph& graph) {
  if (graph.train.empty()) return invalid_argument("there are no facts to learn from");
  GODWIT_TRY(load_gemm());
  struct Preset {
    const char* rank;
    const char* learning_rate;
    const char* penalty;
  };
  const std::string& model = settings.text("model");
  const Preset preset = model == "complex"    ? Preset{"64", "1", "0.1"}
                        : model == "distmult" ? Preset{"128", "1", "0.1"}
                        : model == "transe"   ? Preset{"128", "0.1", "0"}
                                              : Preset{"64", "0.3", "0.05"};
  if (settings.is_auto("rank")) settings.resolve("rank", preset.rank);
  if (settings.is_auto("learning_rate")) settings.resolve("learning_rate", preset.learning_rate);
  if (settings.is_auto("penalty")) settings.resolve("penalty", preset.penalty);
  GODWIT_TRY(kge_model_of(settings).validate());
  return objective_of(settings).validate();
}

KgeModel kge_model_of(const Settings& settings) {
  return {.kind = parse_kge_kind(settings.text("model")).value(),
          .rank = static_cast<std::uint32_t>(settings.count("rank")),
          .norm = settings.text("norm") == "l1" ? KgeNorm::kL1 : KgeNorm::kL2};
}

KgeSetup kge_setup_of(const Settings& settings, const Graph& graph) {
  KgeSetup setup{.model = kge_model_of(settings),
                 .objective = objective_of(settings),
                 .learning_rate = settings.real("learning_rate"),
                 .epochs = settings.count("epochs"),
                 .batch = static_cast<std::size_t>(settings.count("batch")),
                 .negatives = static_cast<std::uint32_t>(settings.count("negatives")),
                 .seed = static_cast<std::uint64_t>(settings.count("seed"))};
  setup.entities = common_table_spec(settings);
  setup.entities.rule = Rule::adagrad(setup.learning_rate, kAdagradEpsilon);
  setup.entities.name = kKgeEntities;
  setup.entities.rows = graph.entities.size();
  setup.entities.row_length = static_cast<std::uint32_t>(setup.model.entity_length());
  setup.entities.init = Init::normal(settings.real("init"), mix64(setup.seed, 1));
  setup.relations = setup.entities;
  setup.relations.name = kKgeRelations;
  setup.relations.rows = setup.model.relation_rows(graph.relations.size());
  setup.relations.row_length = static_cast<std::uint32_t>(setup.model.relation_length());
  setup.relations.init.seed = mix64(setup.seed, 2);
  return setup;
}

float KgeSetup::rate_at(std::int64_t epoch, double part) const {
  const double trained = static_cast<double>(epoch) + part;
  const double done = trained / static_cast<double>(epochs);
  return learning_rate * static_cast<float>(std::min(1.0, kFirstRate + trained) * (1 - done));
}

std::uint64_t KgeSetup::seed_of(std::int64_t segment, const WorkerShare& share) const {
  return mix64(mix64(seed, static_cast<std::uint64_t>(segment)),
               static_cast<std::uint64_t>(share.index));
}

std::unique_ptr<Task> make_kge_task(const Settings& settings, Graph graph) {
  return std::make_unique<KgeTask>(settings, std::move(graph));
}

}  // namespace godwit
