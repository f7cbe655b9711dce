// train/kge_ranking.h: how far up the true answers come among all entities (filtered ranks).
// KnownFacts may be read by many threads; a KgeRanking belongs to one, several make parts of a
// whole that RankTally::add() puts together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "train/kge_model.h"
#include "train/kge_questions.h"

namespace godwit {

// Which answers of a question are known to be true; they do not count as better than another.
class KnownFacts {
 public:
  // `splits` are usually training, validation and test facts.
  explicit KnownFacts(std::span<const std::span<const KgeFact>> splits);

  // Ascending, without doubles. Empty for what is unknown.
  std::span<const std::uint32_t> tails(std::uint32_t head, std::uint32_t relation) const;
  std::span<const std::uint32_t> heads(std::uint32_t relation, std::uint32_t tail) const;

 private:
  // Answers by (source, relation): keys ascending, answers of keys_[i] from starts_[i].
  struct Index {
    std::vector<std::uint64_t> keys;
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> answers;

    std::span<const std::uint32_t> find(std::uint64_t key) const;
  };
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t answer = 0;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  static Index index(std::vector<Entry> entries);

  Index tails_;
  Index heads_;
};

// The rank of `answer` among scores[0..], without those of `known` that are not the answer: 1 plus
// how many score higher, plus half of how many score the same. An answer whose score is NaN comes
// last. REQUIRES: known is ascending; all are numbers of scores.
double filtered_rank(std::span<const float> scores, std::uint32_t answer,
                     std::span<const std::uint32_t> known);

// Sums over ranks.
struct RankTally {
  std::uint64_t count = 0;
  double rank_sum = 0;
  double reciprocal_sum = 0;
  std::uint64_t hits1 = 0;
  std::uint64_t hits3 = 0;
  std::uint64_t hits10 = 0;

  void add(double rank);
  void add(const RankTally& other);

  // All 0 for an empty tally.
  double mrr() const { return mean(reciprocal_sum); }
  double mean_rank() const { return mean(rank_sum); }
  double hits_at_1() const { return mean(static_cast<double>(hits1)); }
  double hits_at_3() const { return mean(static_cast<double>(hits3)); }
  double hits_at_10() const { return mean(static_cast<double>(hits10)); }

 private:
  double mean(double sum) const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

// Heads and tails apart, because they differ much in graphs with hubs.
struct KgeRankTally {
  RankTally heads;
  RankTally tails;

  RankTally all() const;
  void add(const KgeRankTally& other);
};

// What a model of all entities and relations makes of facts.
class KgeRanking {
 public:
  // `known` outlives this. `relations` is the number of relations, not of rows.
  KgeRanking(const KgeModel& model, std::size_t entities, std::size_t relations,
             const KnownFacts& known);

  // Ranks the tail and the head of each fact among all entities. Takes room for some hundred rows
  // of scores. REQUIRES: rows of all entities and relations.
  KgeRankTally rank(const KgeRows& rows, std::span<const KgeFact> facts);

 private:
  void rank_chunk(const KgeRows& rows, std::span<const KgeQuestion> questions, KgeRankTally* tally);
  void score(const KgeRows& rows, std::size_t questions);

  KgeModel model_;
  std::size_t entities_;
  std::size_t relations_;
  const KnownFacts& known_;
  KgeQuestions asked_;
  std::vector<float> entity_squares_;
  std::vector<float> vectors_;
  std::vector<float> scores_;
};

}  // namespace godwit
