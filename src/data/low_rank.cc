// data/low_rank.cc: draws factors, places and noise from one seed.
#include "data/low_rank.h"

#include <cmath>

#include "base/errors.h"
#include "base/prng.h"

namespace godwit {

Result<> LowRankSpec::validate() const {
  if (rows == 0 || columns == 0) {
    return invalid_argument("a matrix of {} x {} has no entries", rows, columns);
  }
  if (rank == 0) return invalid_argument("rank is 0, but must be at least 1");
  if (ratings == 0 || held_out == 0) {
    return invalid_argument("{} ratings to train on and {} held out: both must be at least 1",
                            ratings, held_out);
  }
  if (!(noise > 0) || !std::isfinite(noise)) {
    return invalid_argument("noise is {}, but must be positive", noise);
  }
  return {};
}

LowRankData make_low_rank(const LowRankSpec& spec) {
  Prng prng(spec.seed);
  const double scale = std::pow(spec.rank, -0.25);
  const auto draw_factors = [&](std::uint32_t count) {
    std::vector<float> factors(std::size_t{count} * spec.rank);
    for (float& factor : factors) factor = static_cast<float>(prng.normal() * scale);
    return factors;
  };
  const std::vector<float> left = draw_factors(spec.rows);
  const std::vector<float> right = draw_factors(spec.columns);

  double noise_squares = 0;
  const auto draw_ratings = [&](std::uint64_t count) {
    std::vector<Rating> ratings(count);
    noise_squares = 0;
    for (Rating& rating : ratings) {
      rating.row = static_cast<std::uint32_t>(prng.below(spec.rows));
      rating.column = static_cast<std::uint32_t>(prng.below(spec.columns));
      double value = 0;
      for (std::size_t i = 0; i < spec.rank; ++i) {
        value += double{left[std::size_t{rating.row} * spec.rank + i]} *
                 double{right[std::size_t{rating.column} * spec.rank + i]};
      }
      const double noise = prng.normal() * spec.noise;
      noise_squares += noise * noise;
      rating.value = static_cast<float>(value + noise);
    }
    return ratings;
  };
  LowRankData data;
  data.train = draw_ratings(spec.ratings);
  data.held_out = draw_ratings(spec.held_out);
  data.noise_floor = std::sqrt(noise_squares / static_cast<double>(spec.held_out));
  return data;
}

}  // namespace godwit
