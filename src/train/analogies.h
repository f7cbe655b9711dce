// train/analogies.h: how many questions "a is to b as c is to d" word vectors answer. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "train/word_space.h"

namespace godwit {

struct AnalogyScore {
  std::uint64_t asked = 0;
  std::uint64_t right = 0;

  double share() const {
    return asked == 0 ? 0 : static_cast<double>(right) / static_cast<double>(asked);
  }
};

// Asks those questions whose four words are all known. words[w] is the name of word w of `space`;
// `questions` are compared with them as if all letters were small ones, and of names that are then
// the same the first counts. Only words of `space` can be answers: restrict it, and `words`, to the
// most frequent ones for results that can be compared with others'.
// REQUIRES: words.size() == space.size().
AnalogyScore ask_analogies(const WordSpace& space, std::span<const std::string> words,
                           std::span<const std::array<std::string, 4>> questions);

}  // namespace godwit
