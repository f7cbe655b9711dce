// sim/least_squares.cc: data, optimum by Cholesky's factors, and gradients in vectors.
#include "sim/least_squares.h"

#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/prng.h"

namespace godwit::sim {
namespace {

// As many sums at a time as compilers keep in registers of any width.
constexpr std::size_t kLanes = 16;

float dot(const float* a, const float* b, std::size_t width) {
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < width; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

double entry(Features features, std::size_t column, Prng& prng) {
  switch (features) {
    case Features::kWhole:
      return static_cast<double>(1 + prng.below(10));
    case Features::kGauss:
      return prng.normal();
    case Features::kDecaying:
      return prng.normal() * std::pow(static_cast<double>(column + 1), -0.75);
  }
  return 0;
}

// The lower factor of a positive definite matrix.
std::vector<double> cholesky_of(const std::vector<double>& matrix, std::size_t n) {
  std::vector<double> lower(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) rest -= lower[i * n + k] * lower[j * n + k];
      if (i == j) GODWIT_CHECK_GT(rest, 0.0);
      lower[i * n + j] = i == j ? std::sqrt(rest) : rest / lower[j * n + j];
    }
  }
  return lower;
}

void solve(const std::vector<double>& lower, std::size_t n, std::vector<double>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower[i * n + k] * x[k];
    x[i] /= lower[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= lower[k * n + i] * x[k];
    x[i] /= lower[i * n + i];
  }
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

LeastSquares::LeastSquares(const LeastSquaresOptions& options, std::uint64_t seed)
    : samples_(options.samples),
      dimension_(options.dimension),
      width_((options.dimension + kLanes - 1) / kLanes * kLanes),
      rows_(samples_ * width_),
      residuals_(samples_),
      start_(width_),
      hessian_(dimension_ * dimension_) {
  GODWIT_CHECK(options.dimension >= 1 && options.samples > options.dimension);
  draw(options.features, seed);
  find_optimum();
  find_curvatures();
}

// residuals_ are the noise of y, negative, and start_ is -w_true: relative to w_true, so far.
void LeastSquares::draw(Features features, std::uint64_t seed) {
  Prng prng(mix64(seed, 0x5a));
  for (std::size_t j = 0; j < dimension_; ++j) {
    start_[j] = -static_cast<float>(1 + prng.below(100));
  }
  for (std::size_t i = 0; i < samples_; ++i) {
    float* row = &rows_[i * width_];
    for (std::size_t j = 0; j < dimension_; ++j) {
      row[j] = static_cast<float>(entry(features, j, prng));
    }
    residuals_[i] = -static_cast<float>(prng.normal());
  }
  for (std::size_t i = 0; i < samples_; ++i) {
    const float* row = &rows_[i * width_];
    for (std::size_t a = 0; a < dimension_; ++a) {
      const double at = row[a] / static_cast<double>(samples_);
      for (std::size_t b = 0; b < dimension_; ++b) hessian_[a * dimension_ + b] += at * row[b];
    }
  }
}

// The optimum is w_true + shift, where H shift = X' noise / m.
void LeastSquares::find_optimum() {
  cholesky_ = cholesky_of(hessian_, dimension_);
  std::vector<double> shift(dimension_, 0.0);
  for (std::size_t i = 0; i < samples_; ++i) {
    for (std::size_t j = 0; j < dimension_; ++j) {
      shift[j] -= static_cast<double>(rows_[i * width_ + j]) * residuals_[i];
    }
  }
  for (double& value : shift) value /= static_cast<double>(samples_);
  solve(cholesky_, dimension_, shift);
  for (std::size_t j = 0; j < dimension_; ++j) start_[j] -= static_cast<float>(shift[j]);
  for (std::size_t i = 0; i < samples_; ++i) {
    const float* row = &rows_[i * width_];
    double residual = residuals_[i];
    double length = 0;
    for (std::size_t j = 0; j < dimension_; ++j) {
      residual += row[j] * shift[j];
      length += static_cast<double>(row[j]) * row[j];
    }
    residuals_[i] = static_cast<float>(residual);
    gradient_noise_ += residual * residual * length / static_cast<double>(samples_);
  }
}

void LeastSquares::find_curvatures() {
  std::vector<double> up(dimension_, 1.0);
  std::vector<double> down(dimension_, 0.0);
  Prng prng(1);
  for (double& value : down) value = prng.normal();
  for (int turn = 0; turn < 300; ++turn) {
    std::vector<double> next(dimension_, 0.0);
    for (std::size_t a = 0; a < dimension_; ++a) {
      for (std::size_t b = 0; b < dimension_; ++b) next[a] += hessian_[a * dimension_ + b] * up[b];
    }
    smoothness_ = norm(next) / norm(up);
    const double scale = norm(next);
    for (double& value : next) value /= scale;
    up = std::move(next);
    const double before = norm(down);
    solve(cholesky_, dimension_, down);
    convexity_ = before / norm(down);
    const double length = norm(down);
    for (double& value : down) value /= length;
  }
}

double LeastSquares::error(std::span<const float> v) const {
  double sum = 0;
  for (std::size_t a = 0; a < dimension_; ++a) {
    const double* row = &hessian_[a * dimension_];
    double lanes[4] = {};
    std::size_t b = 0;
    for (; b + 4 <= dimension_; b += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += row[b + lane] * v[b + lane];
    }
    for (; b < dimension_; ++b) lanes[0] += row[b] * v[b];
    sum += v[a] * ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
  }
  return sum / 2;
}

double LeastSquares::add_gradients(std::span<const float> v, std::span<const std::uint32_t> samples,
                                   std::span<float> sum) const {
  GODWIT_CHECK(v.size() == width_ && sum.size() == width_);
  double loss = 0;
  float* const into = sum.data();
  for (const std::uint32_t sample : samples) {
    const float* row = &rows_[sample * width_];
    const float residual = dot(row, v.data(), width_) + residuals_[sample];
    loss += 0.5 * residual * residual;
    for (std::size_t j = 0; j < width_; j += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) into[j + lane] += residual * row[j + lane];
    }
  }
  return loss;
}

}  // namespace godwit::sim
