// train/lda_task.h: which topics the documents of a text are about: latent Dirichlet allocation by
// collapsed Gibbs sampling.
#pragma once

#include <memory>

#include "data/corpus.h"
#include "godwit/result.h"
#include "train/lda_corpus.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// topics, epochs, alpha, beta, batch, min_count, max_share, vocabulary, document_words.
void add_lda_settings(Settings& settings);

// What to read of a text.
CorpusOptions lda_corpus_options(const Settings& settings);

// Replaces "auto", and makes the text ready. kInvalidArgument if nothing is left to learn from, or
// if the codec is not exact: counts must arrive as they are.
Result<LdaCorpus> resolve_lda_settings(Settings& settings, const Corpus& corpus);

// Tables `word_topics`, a row of counts by topic for each word, and `topics`, their sums in one
// row. Counts are of tokens that have a topic: all, once an epoch has ended. Figures are the mean
// log p of tokens held out, given the others of their document ("loglik"), the perplexity that
// makes, and how many counts the tables have too many or too few ("counts_off", always 0).
std::unique_ptr<Task> make_lda_task(const Settings& settings, LdaCorpus corpus);

}  // namespace godwit
