// train/lda_tick.h: one worker's batches of documents: which words they have, and drawing their
// topics through leased rows. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/prng.h"
#include "godwit/ids.h"
#include "godwit/lease.h"
#include "train/lda_corpus.h"
#include "train/lda_sampler.h"

namespace godwit {

struct LdaBatch {
  std::vector<std::uint64_t> documents;
  std::vector<Key> keys;              // distinct words
  std::vector<std::uint32_t> places;  // of tokens, document by document, among the keys
  Lease words;                        // of the keys
  Lease totals;                       // of the one row of sums
};

class LdaTick {
 public:
  // `tokens` must outlive it.
  LdaTick(const LdaModel& model, const LdaTokens& tokens);

  LdaBatch make_batch(std::span<const std::uint64_t> documents);

  // Draws the topics of a batch, and adds what has changed to the leased rows: once to each, so
  // that no lock is held for longer than that. `topics`: of all tokens of the corpus. Returns the
  // sum of the losses of its tokens. REQUIRES: both leases are open, Access::kLocked.
  double draw(const LdaBatch& batch, std::span<std::uint16_t> topics, Prng& prng);

 private:
  // A token whose topic is another now.
  struct Change {
    std::uint16_t from;
    std::uint16_t to;
    std::uint32_t next;  // of the same word
  };

  void note_changes(std::span<const std::uint32_t> places, std::span<const std::uint16_t> topics);
  void apply_changes(const LdaBatch& batch);

  const LdaModel model_;
  const LdaTokens& tokens_;
  LdaCounts counts_;
  std::vector<std::uint32_t> place_of_;  // of words, while a batch is made
  std::vector<std::uint16_t> before_;    // topics of a document
  std::vector<Change> changes_;
  std::vector<std::uint32_t> newest_;  // change of each place
  std::vector<float> total_changes_;
};

}  // namespace godwit
