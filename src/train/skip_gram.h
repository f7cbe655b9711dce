// train/skip_gram.h: one step of skip-gram word vectors with negative sampling: a chunk of text
// changes, in place, the rows of its words. SIMD chosen at run time.
// Thread-safe: what is shared are the rows, and those may be changed by several threads at once
// without locks (Hogwild): of two changes of a number at the same time one may be lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace godwit {

// Text of which every position is a centre once, and a context of its neighbours. A word has two
// rows: as a context its input row learns, as a centre or as a negative its output row.
struct SkipGramChunk {
  // For each position its word: an index into `inputs` and into `outputs`.
  std::span<const std::uint32_t> words;
  // Of which words the chunk knows both rows: inputs[w] and outputs[w] belong to the same word.
  // `outputs` may go on behind them, with rows that are only negatives. No row occurs twice.
  std::span<float* const> inputs;
  std::span<float* const> outputs;
  // Indices into `outputs`, as many for each position. Those that are the centre's own row do not
  // count; those that occur twice count once.
  std::span<const std::uint32_t> negatives;
};

struct SkipGramStep {
  std::size_t row_length = 0;
  std::uint32_t window = 5;  // the farthest; each centre takes its own, evenly from 1 to this
  float learning_rate = 0.025F;
  std::uint64_t seed = 0;  // of the windows
};

struct SkipGramProgress {
  double loss = 0;          // summed over the pairs, before the rows were changed
  std::uint64_t pairs = 0;  // of a context and a centre
};

// As far as a window may reach.
inline constexpr std::uint32_t kSkipGramWindowMax = 64;

// Goes through the positions in order. The contexts of one centre and its outputs (the centre, and
// up to five negatives) learn in one step: gradients are those of the rows before it. With more
// negatives, each further six are a step of their own, with the same contexts.
// The same arguments give the same bits on the same instruction set.
// REQUIRES: row_length > 0, 0 < window <= kSkipGramWindowMax, indices within `inputs` and
// `outputs`, as many negatives for each position, and row_length numbers behind each pointer.
SkipGramProgress step_skip_gram(const SkipGramChunk& chunk, const SkipGramStep& step);

}  // namespace godwit
