// bench/row_work.cc: gradient steps of matrix factorization and of ComplEx, and plain counting.
// A row is copied out, the gradient is made without any lock, and added under the row's lock.
#include "bench/row_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "base/prng.h"

namespace godwit {
namespace {

void count_rows(const Lease& lease) {
  for (std::size_t i = 0; i < lease.size(); ++i) {
    const LeasedRow row = lease[i];
    for (float& element : row.value()) element += 1;
  }
}

constexpr std::size_t kFactors = 32;  // the last one counts
using Factors = std::array<float, kFactors>;

Factors copy_factors(const Lease& lease, std::size_t i) {
  Factors copy;
  const LeasedRow row = lease[i];
  std::copy_n(row.value().begin(), kFactors, copy.begin());
  copy.back() = 0;
  return copy;
}

void add_factors(const Lease& lease, std::size_t i, const Factors& other, float step) {
  const LeasedRow row = lease[i];
  float* const value = row.value().data();
  for (std::size_t f = 0; f < kFactors; ++f) value[f] += step * other[f];
  value[kFactors - 1] += 1;
}

// Pairs of a user and an item, with the squared error of an invented rating.
void factorize_rows(const Lease& lease) {
  constexpr float kLearningRate = 0.01F;
  for (std::size_t i = 0; i + 1 < lease.size(); i += 2) {
    const Factors user = copy_factors(lease, i);
    const Factors item = copy_factors(lease, i + 1);
    float estimate = 0;
    for (std::size_t f = 0; f < kFactors; ++f) estimate += user[f] * item[f];
    const float rating = static_cast<float>(i % 5) * 0.2F;
    const float step = kLearningRate * (rating - estimate);
    add_factors(lease, i, item, step);
    add_factors(lease, i + 1, user, step);
  }
}

// 64 complex numbers, real parts first. The last imaginary part counts and is taken as 0.
constexpr std::size_t kComplex = 64;
constexpr std::size_t kKeysPerTriple = 13;
struct ComplexRow {
  std::array<float, kComplex> re{};
  std::array<float, kComplex> im{};
};

ComplexRow copy_complex(const Lease& lease, std::size_t i) {
  ComplexRow copy;
  const LeasedRow row = lease[i];
  std::copy_n(row.value().begin(), kComplex, copy.re.begin());
  std::copy_n(row.value().begin() + kComplex, kComplex, copy.im.begin());
  copy.im.back() = 0;
  return copy;
}

void step_adagrad(std::span<const float, kComplex> gradient, float* value, float* sums) {
  constexpr float kLearningRate = 0.1F;
  for (std::size_t d = 0; d < kComplex; ++d) {
    sums[d] += gradient[d] * gradient[d];
    value[d] -= kLearningRate * gradient[d] / (std::sqrt(sums[d]) + 1e-8F);
  }
}

void step_complex(const Lease& lease, std::size_t i, ComplexRow& gradient) {
  gradient.im.back() = 0;
  const LeasedRow row = lease[i];
  step_adagrad(gradient.re, row.value().data(), row.state().data());
  step_adagrad(gradient.im, row.value().data() + kComplex, row.state().data() + kComplex);
  row.value()[2 * kComplex - 1] += 1;
}

// The score of a triple is Re <subject, relation, conj(object)>: what the object is multiplied by.
ComplexRow multiply(const ComplexRow& a, const ComplexRow& b) {
  ComplexRow product;
  for (std::size_t d = 0; d < kComplex; ++d) {
    product.re[d] = a.re[d] * b.re[d] - a.im[d] * b.im[d];
    product.im[d] = a.re[d] * b.im[d] + a.im[d] * b.re[d];
  }
  return product;
}

float score(const ComplexRow& subject_relation, const ComplexRow& object) {
  std::array<float, 8> sums{};  // several, so that the compiler may add them at once
  for (std::size_t d = 0; d < kComplex; d += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) {
      sums[lane] += subject_relation.re[d + lane] * object.re[d + lane] +
                    subject_relation.im[d + lane] * object.im[d + lane];
    }
  }
  float sum = 0;
  for (const float lane : sums) sum += lane;
  return sum;
}

void add_scaled(ComplexRow& to, const ComplexRow& row, float factor) {
  for (std::size_t d = 0; d < kComplex; ++d) {
    to.re[d] += factor * row.re[d];
    to.im[d] += factor * row.im[d];
  }
}

// conj(by) * row.
ComplexRow multiply_conjugate(const ComplexRow& by, const ComplexRow& row) {
  ComplexRow product;
  for (std::size_t d = 0; d < kComplex; ++d) {
    product.re[d] = by.re[d] * row.re[d] + by.im[d] * row.im[d];
    product.im[d] = by.re[d] * row.im[d] - by.im[d] * row.re[d];
  }
  return product;
}

// Logistic loss of one true object and ten invented ones.
void train_triple(const Lease& lease, std::size_t first) {
  const ComplexRow subject = copy_complex(lease, first);
  const ComplexRow relation = copy_complex(lease, first + 1);
  const ComplexRow product = multiply(subject, relation);
  ComplexRow of_product;
  for (std::size_t i = first + 2; i < first + kKeysPerTriple; ++i) {
    const ComplexRow object = copy_complex(lease, i);
    const float label = i == first + 2 ? 1.0F : 0.0F;
    const float slope = 1 / (1 + std::exp(-score(product, object))) - label;
    add_scaled(of_product, object, slope);
    ComplexRow of_object;
    add_scaled(of_object, product, slope);
    step_complex(lease, i, of_object);
  }
  ComplexRow of_subject = multiply_conjugate(relation, of_product);
  ComplexRow of_relation = multiply_conjugate(subject, of_product);
  step_complex(lease, first, of_subject);
  step_complex(lease, first + 1, of_relation);
}

}  // namespace

void work_on(PatternKind kind, const Lease& lease) {
  switch (kind) {
    case PatternKind::kMf:
    case PatternKind::kMfBlocks:
      return factorize_rows(lease);
    case PatternKind::kKge:
      for (std::size_t first = 0; first < lease.size(); first += kKeysPerTriple) {
        train_triple(lease, first);
      }
      return;
    case PatternKind::kStream:
    case PatternKind::kReuse:
    case PatternKind::kResident:
      return count_rows(lease);
  }
}

void write_start(const Pattern& pattern, Key key, std::span<float> row) {
  std::fill(row.begin(), row.end(), 0.0F);
  Prng prng(key);
  for (float& element : row.first(pattern.first_counter())) {
    element = (prng.uniform_float() - 0.5F) * 0.4F;
  }
}

}  // namespace godwit
