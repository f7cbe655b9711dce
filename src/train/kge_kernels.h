// train/kge_kernels.h: the loops over rows of embeddings that are no matrix products, in SIMD
// chosen at run time. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace godwit {

// out += x * y of n real numbers.
void multiply_add(const float* x, const float* y, std::size_t n, float* out);

// out += x * y, or x * conj(y), of n complex numbers: n real parts, then n imaginary ones.
void multiply_add_complex(const float* x, const float* y, bool conjugate_y, std::size_t n,
                          float* out);

// out += factor * x of n numbers.
void add_scaled(const float* x, float factor, std::size_t n, float* out);

// The penalty `weight * sum |x|^3` of n real numbers, `weight * sum |z|^3` of n complex ones and
// `weight * sum x^2`. Comes back; its gradient is added to `gradient`.
float add_cubic(const float* x, float weight, std::size_t n, float* gradient);
float add_cubic_complex(const float* x, float weight, std::size_t n, float* gradient);
float add_square(const float* x, float weight, std::size_t n, float* gradient);

// The scores of the candidates of one question. Those from `own` on stand for others that were
// not drawn: each counts `weight` times.
struct Candidates {
  std::span<float> scores;
  std::size_t own = 0;
  float weight = 1;
  std::size_t answer = 0;
};

// -log of the answer's share in the sum of exp(score). Comes back; the scores are replaced by its
// derivatives with respect to them. REQUIRES: answer < scores.size().
float softmax_loss(const Candidates& candidates);

// log(1 + exp(-(s + margin))) of the answer, plus `negatives` times the weighted mean of
// log(1 + exp(s + margin)) over the other candidates. As above.
float logistic_loss(const Candidates& candidates, float margin, float negatives);

// How many scores are greater than, and how many equal to `score`.
struct Above {
  std::size_t greater = 0;
  std::size_t equal = 0;
};
Above count_above(std::span<const float> scores, float score);

}  // namespace godwit
