// train/skip_gram_plan.h: which rows a chunk of text will touch: its words after subsampling, and
// its negatives, drawn before the rows are asked for. WordShares is immutable and thread-safe; a
// SkipGramPlanner is owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/alias_table.h"
#include "base/prng.h"
#include "godwit/ids.h"
#include "godwit/result.h"
#include "train/skip_gram.h"

namespace godwit {

struct SkipGramPlanOptions {
  // A word whose share of the text is f stays with probability sqrt(t / f) + t / f. 0: all stay.
  double subsampling = 1e-4;
  double negative_power = 0.75;  // negatives are drawn in proportion to count^power
  std::uint32_t negatives = 5;   // of each centre
  // The negatives of a chunk are picked from so much fewer words than they are, drawn for this
  // chunk: fewer rows to ask for, and those in the cache. Vectors are as good up to about 16 (of
  // chunks of 1,000 words), and worse at 64. 1: each is a draw of its own.
  std::uint32_t negative_reuse = 8;

  // kInvalidArgument for numbers that are not finite or negative, and for a reuse of 0.
  Result<> validate() const;
};

// What is known of a vocabulary before training.
class WordShares {
 public:
  // Word w occurs counts[w] times. kInvalidArgument as AliasTable::make() and validate().
  static Result<WordShares> make(std::span<const std::uint64_t> counts,
                                 const SkipGramPlanOptions& options);

  std::size_t size() const { return stay_below_.size(); }
  // REQUIRES: word < size().
  bool stays(std::uint32_t word, Prng& prng) const {
    const std::uint64_t below = stay_below_[word];
    return below > kUpper || (prng.next() >> 32) < below;
  }
  std::uint32_t draw_negative(Prng& prng) const {
    return static_cast<std::uint32_t>(negatives_.draw(prng));
  }
  const SkipGramPlanOptions& options() const { return options_; }

 private:
  static constexpr std::uint64_t kUpper = 0xffffffff;

  WordShares(std::vector<std::uint64_t> stay_below, AliasTable negatives,
             const SkipGramPlanOptions& options);

  std::vector<std::uint64_t> stay_below_;  // of 2^32
  AliasTable negatives_;
  SkipGramPlanOptions options_;
};

// Rows are those of `keys`: the first `inputs` of them of both tables, all of them of the output
// table. `words` and `negatives` are indices into `keys`, as step_skip_gram() takes them.
struct SkipGramPlan {
  std::vector<Key> keys;  // none twice
  std::size_t inputs = 0;
  std::vector<std::uint32_t> words;
  std::vector<std::size_t> ends;  // of sentences, among `words`
  std::vector<std::uint32_t> negatives;

  std::span<const Key> input_keys() const { return std::span(keys).first(inputs); }
  std::span<const Key> output_keys() const { return keys; }
};

// Learns from the sentences of a plan, one after the other; rows are those of its keys.
SkipGramProgress step_plan(const SkipGramPlan& plan, std::span<float* const> inputs,
                           std::span<float* const> outputs, const SkipGramStep& step);

class SkipGramPlanner {
 public:
  // `shares` must outlive it. Takes 4 bytes a word.
  explicit SkipGramPlanner(const WordShares& shares);

  // Replaces `plan`, whose memory is used again. `ends`: where sentences end among the tokens,
  // rising, the last with them. A function of the tokens, the ends and the seed.
  // REQUIRES: tokens < shares.size().
  void plan(std::span<const std::uint32_t> tokens, std::span<const std::size_t> ends,
            std::uint64_t seed, SkipGramPlan& plan);

 private:
  std::uint32_t index_of(std::uint32_t word, SkipGramPlan& plan);

  const WordShares& shares_;
  std::vector<std::uint32_t> indices_;  // of words in the keys of the plan; kNone in between
  std::vector<std::uint32_t> pool_;
};

}  // namespace godwit
