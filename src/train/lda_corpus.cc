// train/lda_corpus.cc: counts documents of words, numbers the words anew, deals out tokens.
#include "train/lda_corpus.h"

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::uint32_t kLeftOut = UINT32_MAX;
constexpr double kEmptyWordShare = 0.002;  // of all tokens: more frequent ones are mostly empty
constexpr double kMaxShareMax = 0.3;

std::uint64_t documents_of(const Corpus& corpus) {
  return corpus.begins.empty() ? 0 : corpus.begins.size() - 1;
}

// In how many documents each word is.
std::vector<std::uint64_t> count_documents(const Corpus& corpus) {
  std::vector<std::uint64_t> counts(corpus.vocabulary.words.size());
  std::vector<std::uint64_t> last_in(counts.size(), UINT64_MAX);
  for (std::uint64_t document = 0; document < documents_of(corpus); ++document) {
    for (std::uint64_t i = corpus.begins[document]; i < corpus.begins[document + 1]; ++i) {
      const std::uint32_t word = corpus.tokens[i];
      if (last_in[word] == document) continue;
      last_in[word] = document;
      ++counts[word];
    }
  }
  return counts;
}

}  // namespace

double usual_max_share(const Corpus& corpus) {
  const auto documents = static_cast<double>(std::max<std::uint64_t>(1, documents_of(corpus)));
  const double length = static_cast<double>(corpus.tokens.size()) / documents;
  return std::min(kMaxShareMax, 1 - std::pow(1 - kEmptyWordShare, length));
}

Result<LdaCorpus> make_lda_corpus(const Corpus& corpus, const LdaCorpusOptions& options) {
  GODWIT_TRY(options.split.validate());
  const std::vector<std::uint64_t> in_documents = count_documents(corpus);
  const double documents_max = options.max_share * static_cast<double>(documents_of(corpus));
  LdaCorpus made;
  std::vector<std::uint32_t> numbers(in_documents.size(), kLeftOut);
  std::string left_out;
  std::uint64_t frequent = 0;
  for (std::size_t word = 0; word < numbers.size(); ++word) {
    if (static_cast<double>(in_documents[word]) > documents_max) {
      if (++frequent <= 5) left_out += ' ' + corpus.vocabulary.words[word];
    } else if (options.words_max == 0 || made.words.size() < options.words_max) {
      numbers[word] = static_cast<std::uint32_t>(made.words.size());
      made.words.push_back(corpus.vocabulary.words[word]);
    }
  }
  std::uint64_t kept = 0;
  for (std::uint64_t document = 0; document < documents_of(corpus); ++document) {
    const std::uint64_t before = kept;
    for (std::uint64_t i = corpus.begins[document]; i < corpus.begins[document + 1]; ++i) {
      const std::uint32_t word = numbers[corpus.tokens[i]];
      if (word == kLeftOut) continue;
      const Part part = part_of(options.split, kept++);
      LdaTokens& to = part == Part::kTest    ? made.test
                      : part == Part::kValid ? made.valid
                                             : made.train;
      to.words.push_back(word);
    }
    if (kept == before) continue;
    for (LdaTokens* tokens : {&made.train, &made.valid, &made.test}) {
      tokens->begins.push_back(tokens->words.size());
    }
  }
  if (made.train.words.empty()) {
    return invalid_argument(
        "no word is left to learn from: all are in more than {:.4g} % of the documents "
        "(max_share) or held out",
        100 * options.max_share);
  }
  made.notes = corpus.understood.lines;
  made.notes.push_back(fmt::format("left out, being in more than {:.3g} % of documents: {}{}{}{}",
                                   100 * options.max_share, counted(frequent, "word"),
                                   frequent > 0 ? ":" : "", left_out, frequent > 5 ? " ..." : ""));
  made.notes.push_back(fmt::format(
      "{} of {}; of their tokens {} to train on, {} to validate, {} to test",
      counted(made.documents(), "document"), counted(made.words.size(), "different word"),
      with_commas(made.train.words.size()), with_commas(made.valid.words.size()),
      with_commas(made.test.words.size())));
  return made;
}

std::vector<std::uint64_t> share_documents(const LdaTokens& tokens, std::int64_t workers) {
  std::vector<std::uint64_t> firsts;
  const auto all = static_cast<double>(tokens.words.size());
  for (std::int64_t i = 0; i < workers; ++i) {
    const auto from =
        static_cast<std::uint64_t>(all * static_cast<double>(i) / static_cast<double>(workers));
    const auto begin = std::lower_bound(tokens.begins.begin(), tokens.begins.end() - 1, from);
    firsts.push_back(static_cast<std::uint64_t>(begin - tokens.begins.begin()));
  }
  firsts.push_back(tokens.begins.size() - 1);
  return firsts;
}

}  // namespace godwit
