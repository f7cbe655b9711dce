// train/text_chunks.cc: sentence after sentence, into the chunk before as long as they fit.
#include "train/text_chunks.h"

#include <algorithm>

namespace godwit {

TextChunks::TextChunks(const Corpus& corpus, std::uint64_t words) : tokens_(corpus.tokens) {
  for (std::size_t i = 0; i + 1 < corpus.begins.size(); ++i) {
    const std::uint64_t last = corpus.begins[i + 1];
    for (std::uint64_t begin = corpus.begins[i]; begin < last; begin += words) {
      const std::uint64_t end = std::min(begin + words, last);
      add(begin, end, !chunks_.empty() && end - chunks_.back().begin <= words);
    }
  }
}

void TextChunks::add(std::uint64_t begin, std::uint64_t end, bool goes_on) {
  if (!goes_on) {
    chunks_.push_back({.begin = begin, .first_end = ends_.size()});
  }
  Chunk& chunk = chunks_.back();
  chunk.end = end;
  ends_.push_back(static_cast<std::size_t>(end - chunk.begin));
  chunk.last_end = ends_.size();
}

std::span<const std::uint32_t> TextChunks::tokens(std::uint64_t chunk) const {
  const Chunk& that = chunks_[chunk];
  return tokens_.subspan(that.begin, that.end - that.begin);
}

std::span<const std::size_t> TextChunks::ends(std::uint64_t chunk) const {
  const Chunk& that = chunks_[chunk];
  return std::span(ends_).subspan(that.first_end, that.last_end - that.first_end);
}

}  // namespace godwit
