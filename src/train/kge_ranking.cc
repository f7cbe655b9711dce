// train/kge_ranking.cc: scores of all entities by matrix products, in chunks of questions.
#include "train/kge_ranking.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "train/gemm.h"
#include "train/kge_distance.h"
#include "train/kge_kernels.h"

namespace godwit {
namespace {

// Scores kept at a time: 64 MB, in which some hundred questions to a usual graph fit.
constexpr std::size_t kScoresMax = std::size_t{1} << 24;

std::uint64_t key_of(std::uint32_t source, std::uint32_t relation) {
  return std::uint64_t{source} << 32 | relation;
}

}  // namespace

KnownFacts::KnownFacts(std::span<const std::span<const KgeFact>> splits) {
  std::vector<Entry> tails;
  std::vector<Entry> heads;
  for (const auto& split : splits) {
    for (const KgeFact& fact : split) {
      tails.push_back({key_of(fact.head, fact.relation), fact.tail});
      heads.push_back({key_of(fact.tail, fact.relation), fact.head});
    }
  }
  tails_ = index(std::move(tails));
  heads_ = index(std::move(heads));
}

KnownFacts::Index KnownFacts::index(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  Index result;
  result.answers.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (result.keys.empty() || result.keys.back() != entry.key) {
      result.keys.push_back(entry.key);
      result.starts.push_back(result.answers.size());
    }
    result.answers.push_back(entry.answer);
  }
  result.starts.push_back(result.answers.size());
  return result;
}

std::span<const std::uint32_t> KnownFacts::Index::find(std::uint64_t key) const {
  const auto at = std::lower_bound(keys.begin(), keys.end(), key);
  if (at == keys.end() || *at != key) return {};
  const auto i = static_cast<std::size_t>(at - keys.begin());
  return std::span(answers).subspan(starts[i], starts[i + 1] - starts[i]);
}

std::span<const std::uint32_t> KnownFacts::tails(std::uint32_t head, std::uint32_t relation) const {
  return tails_.find(key_of(head, relation));
}

std::span<const std::uint32_t> KnownFacts::heads(std::uint32_t relation, std::uint32_t tail) const {
  return heads_.find(key_of(tail, relation));
}

double filtered_rank(std::span<const float> scores, std::uint32_t answer,
                     std::span<const std::uint32_t> known) {
  const float score = scores[answer];
  const bool answer_known = std::binary_search(known.begin(), known.end(), answer);
  if (std::isnan(score)) {
    return static_cast<double>(scores.size() - known.size() + (answer_known ? 1 : 0));
  }
  Above above = count_above(scores, score);
  --above.equal;  // the answer itself
  for (const std::uint32_t other : known) {
    if (other == answer) continue;
    above.greater -= scores[other] > score ? 1 : 0;
    above.equal -= scores[other] == score ? 1 : 0;
  }
  return 1 + static_cast<double>(above.greater) + static_cast<double>(above.equal) / 2;
}

void RankTally::add(double rank) {
  ++count;
  rank_sum += rank;
  reciprocal_sum += 1 / rank;
  hits1 += rank <= 1 ? 1 : 0;
  hits3 += rank <= 3 ? 1 : 0;
  hits10 += rank <= 10 ? 1 : 0;
}

void RankTally::add(const RankTally& other) {
  count += other.count;
  rank_sum += other.rank_sum;
  reciprocal_sum += other.reciprocal_sum;
  hits1 += other.hits1;
  hits3 += other.hits3;
  hits10 += other.hits10;
}

RankTally KgeRankTally::all() const {
  RankTally sum = heads;
  sum.add(tails);
  return sum;
}

void KgeRankTally::add(const KgeRankTally& other) {
  heads.add(other.heads);
  tails.add(other.tails);
}

KgeRanking::KgeRanking(const KgeModel& model, std::size_t entities, std::size_t relations,
                       const KnownFacts& known)
    : model_(model), entities_(entities), relations_(relations), known_(known), asked_(model) {}

KgeRankTally KgeRanking::rank(const KgeRows& rows, std::span<const KgeFact> facts) {
  const std::size_t n = model_.entity_length();
  if (model_.kind == KgeKind::kTranse && model_.norm == KgeNorm::kL2) {
    entity_squares_.resize(entities_);
    for (std::size_t i = 0; i < entities_; ++i) {
      entity_squares_[i] = sum_of_squares(rows.entities + i * n, n);
    }
  }
  for (const KgeFact& fact : facts) GODWIT_CHECK_LT(std::max(fact.head, fact.tail), entities_);
  std::vector<KgeQuestion> questions;
  ask(model_, facts, relations_, &questions);
  KgeRankTally tally;
  const std::size_t chunk =
      std::max<std::size_t>(1, kScoresMax / std::max<std::size_t>(1, entities_));
  for (std::size_t begin = 0; begin < questions.size(); begin += chunk) {
    const std::size_t size = std::min(chunk, questions.size() - begin);
    rank_chunk(rows, std::span(questions).subspan(begin, size), &tally);
  }
  return tally;
}

void KgeRanking::rank_chunk(const KgeRows& rows, std::span<const KgeQuestion> questions,
                            KgeRankTally* tally) {
  vectors_.resize(questions.size() * model_.entity_length());
  asked_.vectors(questions, rows, vectors_.data());
  score(rows, questions.size());
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const KgeQuestion& question = questions[i];
    const std::span<const float> scores{scores_.data() + i * entities_, entities_};
    const bool for_head = question.backward || question.relation >= relations_;
    const auto relation = static_cast<std::uint32_t>(question.relation % relations_);
    const auto known = for_head ? known_.heads(relation, question.source)
                                : known_.tails(question.source, relation);
    (for_head ? tally->heads : tally->tails).add(filtered_rank(scores, question.answer, known));
  }
}

void KgeRanking::score(const KgeRows& rows, std::size_t questions) {
  const std::size_t n = model_.entity_length();
  scores_.resize(questions * entities_);
  if (model_.kind == KgeKind::kTranse && model_.norm == KgeNorm::kL1) {
    l1_scores({questions, entities_, n}, vectors_.data(), rows.entities, scores_.data());
    return;
  }
  gemm(MatrixView::dense(vectors_.data(), questions, n),
       MatrixView::dense(rows.entities, entities_, n).transpose(), GemmInto::kOverwrite,
       scores_.data());
  if (model_.kind != KgeKind::kTranse) return;
  for (std::size_t i = 0; i < questions; ++i) {
    l2_scores_from_products(sum_of_squares(vectors_.data() + i * n, n), entity_squares_.data(),
                            entities_, scores_.data() + i * entities_);
  }
}

}  // namespace godwit
