// train/tasks.cc: the list, and how each reads its data.
#include "train/tasks.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "data/analogies.h"
#include "data/load.h"
#include "train/common_settings.h"
#include "train/ctr_task.h"
#include "train/group_settings.h"
#include "train/kge_task.h"
#include "train/lasso_task.h"
#include "train/lda_task.h"
#include "train/linreg_task.h"
#include "train/mf_task.h"
#include "train/mlp_task.h"
#include "train/w2v_task.h"

namespace godwit {
namespace {

SplitSpec split_of(const Settings& settings) {
  return {.valid = settings.number("valid_share"),
          .test = settings.number("test_share"),
          .seed = static_cast<std::uint64_t>(settings.count("split_seed"))};
}

Result<std::unique_ptr<Task>> make_mf(Settings& settings, const Catalog& /*catalog*/,
                                      const DataSource& source) {
  GODWIT_TRY_ASSIGN(Ratings ratings, load_ratings(source, split_of(settings)));
  GODWIT_TRY(resolve_mf_settings(settings, ratings));
  return make_mf_task(settings, std::move(ratings));
}

Result<std::unique_ptr<Task>> make_kge(Settings& settings, const Catalog& /*catalog*/,
                                       const DataSource& source) {
  GODWIT_TRY_ASSIGN(Graph graph, load_graph(source, split_of(settings)));
  GODWIT_TRY(resolve_kge_settings(settings, graph));
  return make_kge_task(settings, std::move(graph));
}

Result<std::unique_ptr<Task>> make_w2v(Settings& settings, const Catalog& catalog,
                                       const DataSource& source) {
  const auto count = [&](const char* name) {
    return static_cast<std::uint64_t>(settings.count(name));
  };
  GODWIT_TRY_ASSIGN(Corpus corpus, load_corpus(source, {.min_count = count("min_count"),
                                                        .max_words = count("max_words")}));
  AnalogyQuestions questions;
  if (const auto file = find_analogies(catalog)) {
    GODWIT_TRY_ASSIGN(const auto sections, read_analogies(*file));
    for (const AnalogySection& section : sections) {
      questions.insert(questions.end(), section.questions.begin(), section.questions.end());
    }
  }
  return make_w2v_task(settings, std::move(corpus), std::move(questions));
}

Result<std::unique_ptr<Task>> make_ctr(Settings& settings, const Catalog& /*catalog*/,
                                       const DataSource& source) {
  GODWIT_TRY_ASSIGN(SparseSet set, load_sparse(source, split_of(settings)));
  GODWIT_TRY(resolve_ctr_settings(settings, set));
  return make_ctr_task(settings, std::move(set));
}

Result<std::unique_ptr<Task>> make_lda(Settings& settings, const Catalog& /*catalog*/,
                                       const DataSource& source) {
  GODWIT_TRY_ASSIGN(const Corpus corpus, load_corpus(source, lda_corpus_options(settings)));
  GODWIT_TRY_ASSIGN(LdaCorpus ready, resolve_lda_settings(settings, corpus));
  return make_lda_task(settings, std::move(ready));
}

Result<std::unique_ptr<Task>> make_lasso(Settings& settings, const Catalog& /*catalog*/,
                                         const DataSource& source) {
  GODWIT_TRY_ASSIGN(SparseSet set, load_sparse(source, split_of(settings)));
  GODWIT_TRY(resolve_lasso_settings(settings, set));
  return make_lasso_task(settings, std::move(set));
}

Result<std::unique_ptr<Task>> make_mlp(Settings& settings, const Catalog& /*catalog*/,
                                       const DataSource& source) {
  if (groups_of(settings) > 0) GODWIT_TRY(settle_group_settings(settings));
  GODWIT_TRY_ASSIGN(ImageSet images, load_images(source));
  return make_mlp_task(settings, std::move(images));
}

Result<std::unique_ptr<Task>> make_linreg(Settings& settings, const Catalog& /*catalog*/,
                                          const DataSource& source) {
  if (groups_of(settings) > 0) GODWIT_TRY(settle_group_settings(settings));
  GODWIT_TRY_ASSIGN(SparseSet set, load_sparse(source, split_of(settings)));
  return make_linreg_task(settings, std::move(set));
}

}  // namespace

const std::vector<TaskKind>& task_kinds() {
  static const std::vector<TaskKind> kKinds{
      {"mf", "matrix factorization: who rates what how", "ratings/s", add_mf_settings, make_mf},
      {"kge", "knowledge-graph embeddings: ComplEx, DistMult, TransE, RESCAL", "questions/s",
       add_kge_settings, make_kge},
      {"w2v", "word vectors: skip-gram with negative sampling", "words/s", add_w2v_settings,
       make_w2v},
      {"ctr", "click prediction: logistic regression, factorization machine", "examples/s",
       add_ctr_settings, make_ctr},
      {"lda", "topics of documents, by collapsed Gibbs sampling", "tokens/s", add_lda_settings,
       make_lda},
      {"lasso", "which few features explain a number: least squares, L1", "updates/s",
       add_lasso_settings, make_lasso},
      {"mlp", "classes of images, by a network of one hidden layer", "images/s", add_mlp_settings,
       make_mlp},
      {"linreg", "least squares, by gradients of all weights", "examples/s", add_linreg_settings,
       make_linreg},
  };
  return kKinds;
}

Result<const TaskKind*> find_task_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const TaskKind& kind : task_kinds()) {
    if (kind.name == name) return &kind;
    names.push_back(kind.name);
  }
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  return invalid_argument("there is no task '{}'{}; there are: {}", name, did_you_mean(name, names),
                          all);
}

Settings settings_of(const TaskKind& kind) {
  Settings settings;
  add_common_settings(settings);
  kind.add_settings(settings);
  return settings;
}

}  // namespace godwit
