// train/lda_corpus.h: a text made ready for a topic model: words that are everywhere are left out,
// and some tokens of each document are kept to judge by. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "data/split.h"
#include "godwit/result.h"

namespace godwit {

// Tokens by document: those of i are [begins[i], begins[i + 1]).
struct LdaTokens {
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> begins = {0};

  std::span<const std::uint32_t> of(std::uint64_t document) const {
    return std::span(words).subspan(begins[document], begins[document + 1] - begins[document]);
  }
};

// The same documents in all three.
struct LdaCorpus {
  std::vector<std::string> words;
  LdaTokens train, valid, test;
  std::vector<std::string> notes;

  std::uint64_t documents() const { return train.begins.size() - 1; }
};

struct LdaCorpusOptions {
  double max_share = 0.1;       // leaves out words that are in more of the documents
  std::uint64_t words_max = 0;  // keeps the most frequent of the others; 0: all
  SplitSpec split = {};         // of tokens
};

// The share of documents above which a word says nothing about what they are about: longer
// documents have more of all words.
double usual_max_share(const Corpus& corpus);

// Documents without a word that is kept are left out. kInvalidArgument if nothing is left to learn
// from, or of SplitSpec::validate().
Result<LdaCorpus> make_lda_corpus(const Corpus& corpus, const LdaCorpusOptions& options);

// Where the documents of each of `workers` workers begin, and the end: about as many tokens each.
std::vector<std::uint64_t> share_documents(const LdaTokens& tokens, std::int64_t workers);

}  // namespace godwit
