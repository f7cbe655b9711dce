// bench/word_vector_peers.h: fastText, gensim and our own trainer on the same text, with the same
// settings: words a second, and how many analogies their vectors answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/catalog.h"
#include "data/corpus.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "report/bench_report.h"

namespace godwit {

struct PeerCase {
  std::vector<std::string> data;  // names for find_first_data()
  std::uint64_t max_words = 0;    // of the text; 0: all
  std::int64_t rank = 100;
  std::int64_t epochs = 2;
  std::int64_t threads = 2;
  std::int64_t min_count = 5;
};

// The text is written to a temporary file, which all three read. Words are those that occur
// min_count times, times epochs. Programs that are not installed get a result that says so.
// kUnavailable if one fails or takes longer than half an hour.
Result<> measure_peers(const PeerCase& that, const Catalog& catalog, const Environment& environment,
                       const std::function<void(const BenchResult&)>& on_result);

// All sentences into a file, in lines of 1,000 words at most.
Result<> write_words(const Corpus& corpus, const std::string& path);

// The last "words/sec/thread: N" of what fastText says while it trains; nothing without any.
std::optional<double> fasttext_rate(std::string_view said);

struct WordVectors {
  std::vector<std::string> words;
  std::vector<float> values;  // of each, `length` floats
  std::size_t length = 0;
};

// The first `words_max` of a file in word2vec's text format, without fastText's "</s>".
// kInvalidArgument naming file:line for a malformed line.
Result<WordVectors> read_word_vectors(const std::string& path, std::size_t words_max);

}  // namespace godwit
