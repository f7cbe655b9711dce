// train/lda_topics.h: the topics of all tokens of a corpus, as bytes and back, by document: so that
// they can be dealt out anew among another number of workers. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "godwit/result.h"
#include "train/lda_corpus.h"
#include "train/lda_sampler.h"

namespace godwit {

// Of the documents [first, last). `topics` has an entry for each token of the corpus.
std::string pack_topics(const LdaTokens& tokens, std::span<const std::uint16_t> topics,
                        std::uint64_t first, std::uint64_t last);

// Puts what pack_topics() made, of all nodes, into `topics`. kCorruption if bytes are damaged;
// kInvalidArgument if they are of another corpus or of more than `topic_count` topics, or if a
// document of [first, last) is missing.
Result<> unpack_topics(const std::map<std::string, std::string>& packed, const LdaTokens& tokens,
                       std::size_t topic_count, std::uint64_t first, std::uint64_t last,
                       std::span<std::uint16_t> topics);

}  // namespace godwit
