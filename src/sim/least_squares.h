// sim/least_squares.h: linear regression whose optimum and error are known exactly, to learn on a
// simulated clock. Immutable; the vectors are the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace godwit::sim {

// What a sample's entries look like.
enum class Features : std::uint8_t {
  kWhole,     // whole numbers 1..10: one direction is 400 times as steep as the others
  kGauss,     // standard normal: all directions alike
  kDecaying,  // normal, curvatures 1, 2^-1.5, 3^-1.5, ...
};

struct LeastSquaresOptions {
  Features features = Features::kWhole;
  std::size_t samples = 20'000;
  std::size_t dimension = 100;

  friend bool operator==(const LeastSquaresOptions&, const LeastSquaresOptions&) = default;
};

// F(w) = |X w - y|^2 / 2m with y = X w_true + N(0, 1) and w_true of whole numbers 1..100.
// Parameters are kept relative to the optimum, v = w - w*: so F(w) - F* is v'Hv / 2, without
// cancellation, and floats are enough for v. Vectors are padded with zeros to width().
class LeastSquares {
 public:
  // REQUIRES: samples > dimension >= 1.
  LeastSquares(const LeastSquaresOptions& options, std::uint64_t seed);

  std::size_t samples() const { return samples_; }
  std::size_t dimension() const { return dimension_; }
  std::size_t width() const { return width_; }

  // w = 0.
  std::vector<float> start() const { return start_; }
  // F(w) - F*. REQUIRES: v has width() entries.
  double error(std::span<const float> v) const;
  // Adds the gradients of these samples to `sum` and returns the sum of their losses. REQUIRES: v
  // and sum have width() entries.
  double add_gradients(std::span<const float> v, std::span<const std::uint32_t> samples,
                       std::span<float> sum) const;

  // The trace of the covariance of a sample's gradient at the optimum.
  double gradient_noise() const { return gradient_noise_; }
  // Around which the error ends, with this batch: eta * noise / 4B.
  double floor(double learning_rate, double batch) const {
    return learning_rate * gradient_noise_ / (4 * batch);
  }
  // The largest and the smallest curvature.
  double smoothness() const { return smoothness_; }
  double convexity() const { return convexity_; }

 private:
  void draw(Features features, std::uint64_t seed);
  void find_optimum();
  void find_curvatures();

  std::size_t samples_;
  std::size_t dimension_;
  std::size_t width_;
  std::vector<float> rows_;       // samples x width
  std::vector<float> residuals_;  // x'w* - y, of each sample
  std::vector<float> start_;
  std::vector<double> hessian_;   // dimension x dimension
  std::vector<double> cholesky_;  // its lower factor
  double gradient_noise_ = 0;
  double smoothness_ = 0;
  double convexity_ = 0;
};

}  // namespace godwit::sim
