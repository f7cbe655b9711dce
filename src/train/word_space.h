// train/word_space.h: word vectors as directions, and which of them lie nearest. Immutable;
// thread-safe. SIMD chosen at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace godwit {

// "a is to b as c is to ...": a, b, c.
using AnalogyWords = std::array<std::uint32_t, 3>;

class WordSpace {
 public:
  static constexpr std::size_t kPanel = 16;    // words that lie together
  static constexpr std::size_t kTargets = 12;  // asked at a time: sums fit the registers of AVX2

  struct Neighbour {
    std::uint32_t word;
    float cosine;
  };

  // Word w has vectors[w * length .. (w + 1) * length). One without a direction (all zero, or with
  // numbers that are not finite) is nobody's neighbour. Takes twice the memory of `vectors`.
  // REQUIRES: length > 0, vectors.size() a multiple of it.
  WordSpace(std::span<const float> vectors, std::size_t length);

  std::size_t size() const { return size_; }
  std::size_t length() const { return length_; }
  // Of length one. REQUIRES: word < size().
  std::span<const float> direction(std::uint32_t word) const {
    return std::span(rows_).subspan(word * length_, length_);
  }

  // The `count` words nearest to `target` by cosine, without those of `except`, the nearest first;
  // of equals those with the lower number. Fewer if there are no more; none if `target` has no
  // direction. REQUIRES: target.size() == length().
  std::vector<Neighbour> nearest(std::span<const float> target, std::size_t count,
                                 std::span<const std::uint32_t> except = {}) const;
  // REQUIRES: word < size(). The word itself is not among them.
  std::vector<Neighbour> nearest(std::uint32_t word, std::size_t count) const;

  // For each question the word nearest to b - a + c (of directions), other than a, b and c; size()
  // if there is none. About a tenth of a millisecond a question, for 30,000 words of length 100.
  // REQUIRES: words < size().
  std::vector<std::uint32_t> answer(std::span<const AnalogyWords> questions) const;

 private:
  bool has_direction(std::uint32_t word) const;
  void answer_some(std::span<const AnalogyWords> questions, std::span<std::uint32_t> answers) const;

  std::size_t size_;
  std::size_t length_;
  std::vector<float> rows_;
  // Words in panels of 16, filled up with zeros: the i-th number of word w is at
  // (w / 16 * length + i) * 16 + w % 16, so that a vector of the machine holds several words.
  std::vector<float> panels_;
};

}  // namespace godwit
