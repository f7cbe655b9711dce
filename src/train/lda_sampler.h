// train/lda_sampler.h: draws the topics of a document's tokens, each given all others (collapsed
// Gibbs). Works on arrays of its caller's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.h"

namespace godwit {

inline constexpr std::uint16_t kNoTopic = UINT16_MAX;

struct LdaModel {
  std::size_t topics = 1;
  std::size_t words = 1;
  float alpha = 0.1F;  // of each topic, before a document has any token of it
  float beta = 0.01F;  // of each word, before a topic has any token of it

  // Floats of a row in the sampler's arrays: whole vectors. What is beyond the topics is never
  // drawn.
  std::size_t stride() const { return (topics + 15) / 16 * 16; }
};

// The counts one worker draws by for a tick: copies, which it keeps true as it draws.
class LdaCounts {
 public:
  explicit LdaCounts(const LdaModel& model);

  // Makes room for the rows of so many words.
  void resize(std::size_t words) { words_.resize(words * stride_); }
  // From a table's rows: numbers of tokens by topic.
  void set_word(std::size_t place, std::span<const float> counts);
  void set_totals(std::span<const float> counts);

  // Draws new topics for a document whose i-th token is of the word at places[i] and of topics[i]
  // now; kNoTopic: of none yet. Returns the sum of -log p(token | its document's other tokens), as
  // it was before each token was drawn. REQUIRES: set_word() of all places, set_totals().
  double draw_document(std::span<const std::uint32_t> places, std::span<std::uint16_t> topics,
                       Prng& prng);

  // What draw_document() works on.
  struct Arrays {
    LdaModel model;
    std::size_t stride;
    float* words;     // count + beta
    float* totals;    // count + beta * words
    float* inverse;   // 1 / totals
    float* document;  // count + alpha
    float* running;   // sums of weights, lane by lane
  };

 private:
  LdaModel model_;
  std::size_t stride_;
  std::vector<float> words_, totals_, inverse_, document_, running_;
};

// log p(word | document) of a word with these counts in a document of `length` tokens with these
// counts of topics.
double lda_log_probability(const LdaModel& model, std::span<const float> word,
                           std::span<const float> totals, std::span<const float> document,
                           double length);

}  // namespace godwit
