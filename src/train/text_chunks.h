// train/text_chunks.h: a text in parts of a tick's length, of several sentences where they are
// short. Immutable once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus.h"

namespace godwit {

class TextChunks {
 public:
  // Of so many words at most: whole sentences, and pieces of those that are longer.
  // REQUIRES: the corpus outlives this; words > 0.
  TextChunks(const Corpus& corpus, std::uint64_t words);

  std::size_t size() const { return chunks_.size(); }
  std::span<const std::uint32_t> tokens(std::uint64_t chunk) const;
  // Where sentences end among its tokens, the last with them.
  std::span<const std::size_t> ends(std::uint64_t chunk) const;

 private:
  struct Chunk {
    std::uint64_t begin = 0;  // among the tokens of the text
    std::uint64_t end = 0;
    std::size_t first_end = 0;  // among ends_
    std::size_t last_end = 0;
  };

  void add(std::uint64_t begin, std::uint64_t end, bool goes_on);

  const std::span<const std::uint32_t> tokens_;
  std::vector<Chunk> chunks_;
  std::vector<std::size_t> ends_;
};

}  // namespace godwit
