// data/corpus.cc: words get numbers as they are read; when all are counted the numbers are changed
// to the order of the vocabulary. The text itself is never held.
#include "data/corpus.h"

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/try.h"
#include "data/byte_stream.h"
#include "data/fields.h"
#include "data/line_reader.h"
#include "data/name_table.h"

namespace godwit {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kWordBytesMax = std::size_t{64} << 10;
constexpr std::uint32_t kLineEnd = UINT32_MAX;
constexpr std::size_t kShownWords = 10;

// 0: part of a word, 1: blank, 2: end of a line, 3: NUL.
constexpr auto kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'}) kinds[static_cast<unsigned char>(c)] = 1;
  kinds[static_cast<unsigned char>('\n')] = 2;
  kinds[0] = 3;
  return kinds;
}();

std::uint8_t kind_of(char c) {
  return kKinds[static_cast<unsigned char>(c)];
}

Result<> check(const CorpusOptions& options) {
  if (options.min_count == 0) return invalid_argument("min_count is 0, but must be at least 1");
  if (options.max_sentence == 0) {
    return invalid_argument("max_sentence is 0, but must be at least 1");
  }
  return {};
}

// Collects words with numbers by first appearance.
class WordCounter {
 public:
  explicit WordCounter(std::uint64_t words_max) : words_max_(words_max) {}

  void add(std::string_view word) {
    const std::uint32_t number = table_.number(word);
    if (number == counts_.size()) [[unlikely]]
      counts_.push_back(0);
    ++counts_[number];
    ++words_;
    tokens_.push_back(number);
  }
  void end_line() {
    if (!tokens_.empty() && tokens_.back() != kLineEnd) tokens_.push_back(kLineEnd);
  }
  bool full() const { return words_max_ != 0 && words_ >= words_max_; }
  std::uint64_t words() const { return words_; }

  // `source` is for messages. Leaves the counter empty.
  Result<Corpus> finish(const std::string& source, const CorpusOptions& options);

 private:
  std::uint64_t words_max_;
  std::uint64_t words_ = 0;
  NameTable table_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> tokens_;  // with kLineEnd between lines
};

// Changes tokens to numbers of the vocabulary, in place, and notes where sentences begin.
void renumber(std::vector<std::uint32_t>& tokens, const std::vector<std::uint32_t>& new_numbers,
              std::uint64_t max_sentence, std::vector<std::uint64_t>& begins) {
  begins = {0};
  std::size_t kept = 0;
  for (const std::uint32_t token : tokens) {
    const bool line_end = token == kLineEnd;
    if (!line_end) {
      const std::uint32_t number = new_numbers[token];
      if (number == kLineEnd) continue;  // rare
      tokens[kept++] = number;
    }
    if ((line_end && kept > begins.back()) || kept - begins.back() == max_sentence) {
      begins.push_back(kept);
    }
  }
  if (kept > begins.back()) begins.push_back(kept);
  tokens.resize(kept);
}

Result<Corpus> WordCounter::finish(const std::string& source, const CorpusOptions& options) {
  if (words_ == 0) return invalid_argument("{}: there are no words in it", source);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < table_.size(); ++i) {
    if (counts_[i] >= options.min_count) order.push_back(i);
  }
  if (order.empty()) {
    return invalid_argument(
        "{}: no word occurs {} times (the most frequent {}): the vocabulary would be empty; lower "
        "min_count",
        source, options.min_count, *std::ranges::max_element(counts_));
  }
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (counts_[a] != counts_[b]) return counts_[a] > counts_[b];
    return table_.name(a) < table_.name(b);
  });
  Corpus corpus;
  std::vector<std::uint32_t> new_numbers(table_.size(), kLineEnd);
  for (const std::uint32_t old : order) {
    new_numbers[old] = static_cast<std::uint32_t>(corpus.vocabulary.words.size());
    corpus.vocabulary.words.emplace_back(table_.name(old));
    corpus.vocabulary.counts.push_back(counts_[old]);
  }
  renumber(tokens_, new_numbers, options.max_sentence, corpus.begins);
  corpus.tokens = std::move(tokens_);
  corpus.words_read = words_;
  corpus.understood.lines.push_back(
      fmt::format("{}: text, {} words in {} sentences, {} different ones; {} of these occur {} "
                  "times or more and make {} words",
                  source, with_commas(words_), with_commas(corpus.begins.size() - 1),
                  with_commas(table_.size()), with_commas(order.size()), options.min_count,
                  with_commas(corpus.tokens.size())));
  std::string first = "begins:";
  for (std::size_t i = 0; i < std::min(kShownWords, corpus.tokens.size()); ++i) {
    first += ' ' + shown(corpus.vocabulary.words[corpus.tokens[i]]);
  }
  corpus.understood.lines.push_back(std::move(first));
  return corpus;
}

// Cuts chunks into words. A word that the end of a chunk cuts stays at the front of the buffer.
class ChunkReader {
 public:
  ChunkReader(const DataFile& file, WordCounter& words)
      : file_(file), words_(words), buffer_(kWordBytesMax + kChunkBytes) {}

  Result<> read(ByteStream& stream) {
    std::size_t kept = 0;
    for (;;) {
      GODWIT_TRY_ASSIGN(const std::size_t count,
                        stream.read(std::span<char>(buffer_).subspan(kept)));
      const char* end = buffer_.data() + kept + count;
      const char* rest = buffer_.data();
      GODWIT_TRY(take_words(buffer_.data() + kept, end, rest));
      if (words_.full()) return {};
      if (count == 0) {
        if (rest != end) words_.add({rest, static_cast<std::size_t>(end - rest)});
        return {};
      }
      kept = static_cast<std::size_t>(end - rest);
      if (kept > kWordBytesMax) {
        return invalid_argument("{}: a word of more than {} KiB in line {}: not a text?",
                                file_.text(), kWordBytesMax >> 10, line_);
      }
      std::copy(rest, end, buffer_.data());
    }
  }

 private:
  // `word` is where an unfinished word begins, before and after. New letters begin at `at`.
  Result<> take_words(const char* at, const char* end, const char*& word) {
    for (; at != end; ++at) {
      const std::uint8_t kind = kind_of(*at);
      if (kind == 0) continue;
      if (at != word) {
        words_.add({word, static_cast<std::size_t>(at - word)});
        if (words_.full()) return {};
      }
      word = at + 1;
      if (kind == 1) continue;
      if (kind == 3) {
        return invalid_argument("{}: there is a NUL byte in line {}: the file looks binary",
                                file_.text(), line_);
      }
      words_.end_line();
      ++line_;
    }
    return {};
  }

  const DataFile& file_;
  WordCounter& words_;
  std::vector<char> buffer_;
  std::uint64_t line_ = 1;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80U;
}

}  // namespace

Result<Corpus> read_corpus(const DataFile& file, const CorpusOptions& options) {
  GODWIT_TRY(check(options));
  GODWIT_TRY_ASSIGN(const std::unique_ptr<ByteStream> stream, open_stream(file));
  WordCounter words(options.max_words);
  GODWIT_TRY(ChunkReader(file, words).read(*stream));
  return words.finish(file.text(), options);
}

Result<Corpus> make_corpus(std::span<const std::string_view> documents,
                           const CorpusOptions& options) {
  GODWIT_TRY(check(options));
  WordCounter words(options.max_words);
  for (const std::string_view document : documents) {
    const std::string text = lower_case(document);
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size() && !words.full(); ++at) {
      if (at < text.size() && is_letter(text[at])) continue;
      if (at > begin) words.add(std::string_view(text).substr(begin, at - begin));
      begin = at + 1;
    }
    words.end_line();
  }
  return words.finish(fmt::format("{} documents", with_commas(documents.size())), options);
}

}  // namespace godwit
