// data/corpus.h: text as word numbers. Pure but for reading files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/data_files.h"
#include "data/understood.h"
#include "godwit/result.h"

namespace godwit {

// By falling count, ties by word.
struct Vocabulary {
  std::vector<std::string> words;
  std::vector<std::uint64_t> counts;
};

struct Corpus {
  Vocabulary vocabulary;
  std::vector<std::uint32_t> tokens;  // numbers of words; words below min_count are left out
  // Sentences or documents: i is [begins[i], begins[i + 1]). Lines; longer ones are cut after
  // max_sentence words that are kept; those without any are left out.
  std::vector<std::uint64_t> begins;
  std::uint64_t words_read = 0;  // with those left out
  Understood understood;
};

struct CorpusOptions {
  std::uint64_t min_count = 5;
  std::uint64_t max_sentence = 10'000;
  std::uint64_t max_words = 0;  // reading stops after so many; 0: all
};

// Words are what stands between blanks, as written. A line may have any length.
// kInvalidArgument: options that make no sense; a NUL byte ("looks binary") or a word above 64 KiB;
// no word, or none that occurs min_count times. Errors of open_stream().
Result<Corpus> read_corpus(const DataFile& file, const CorpusOptions& options);

// The same of documents in memory, whose words are the runs of letters, in lower case.
Result<Corpus> make_corpus(std::span<const std::string_view> documents,
                           const CorpusOptions& options);

}  // namespace godwit
