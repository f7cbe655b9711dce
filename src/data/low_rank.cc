// data/low_rank.cc: draws factors, places and noise from one seed.
#include "data/low_rank.h"

#include <cmath>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/prng.h"
#include "data/zipf.h"

namespace godwit {

namespace {

class LowRankModel {
 public:
  explicit LowRankModel(const LowRankSpec& spec)
      : spec_(spec),
        prng_(spec.seed),
        columns_(spec.columns, spec.zipf),
        scatter_(spec.columns, mix64(spec.seed, 1)) {
    const double scale = std::pow(spec.rank, -0.25);
    left_ = draw_normals(std::size_t{spec.rows} * spec.rank, scale);
    right_ = draw_normals(std::size_t{spec.columns} * spec.rank, scale);
    if (spec.biases > 0) {
      row_biases_ = draw_normals(spec.rows, spec.biases);
      column_biases_ = draw_normals(spec.columns, spec.biases);
    }
  }

  std::vector<Rating> draw(std::uint64_t count) {
    std::vector<Rating> ratings(count);
    noise_squares_ = 0;
    for (Rating& rating : ratings) {
      rating.row = static_cast<std::uint32_t>(prng_.below(spec_.rows));
      rating.column = draw_column();
      const double noise = prng_.normal() * spec_.noise;
      noise_squares_ += noise * noise;
      rating.value = static_cast<float>(truth(rating.row, rating.column) + noise);
    }
    return ratings;
  }

  // Sum of squares of the noise of the last draw.
  double noise_squares() const { return noise_squares_; }

 private:
  std::vector<float> draw_normals(std::size_t count, double scale) {
    std::vector<float> numbers(count);
    for (float& number : numbers) number = static_cast<float>(prng_.normal() * scale);
    return numbers;
  }

  std::uint32_t draw_column() {
    const std::uint64_t k = columns_.draw(prng_);
    return static_cast<std::uint32_t>(spec_.zipf > 0 ? scatter_(k) : k);
  }

  double truth(std::uint32_t row, std::uint32_t column) const {
    double value = 0;
    for (std::size_t i = 0; i < spec_.rank; ++i) {
      value += double{left_[std::size_t{row} * spec_.rank + i]} *
               double{right_[std::size_t{column} * spec_.rank + i]};
    }
    if (spec_.biases > 0) value += double{row_biases_[row]} + double{column_biases_[column]};
    return value + spec_.mean;
  }

  const LowRankSpec spec_;
  Prng prng_;
  Zipf columns_;
  Scatter scatter_;
  std::vector<float> left_, right_, row_biases_, column_biases_;
  double noise_squares_ = 0;
};

}  // namespace

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
  if (!(zipf >= 0) || !(zipf <= 10)) {
    return invalid_argument("zipf is {}, but must be from 0 to 10", zipf);
  }
  if (!std::isfinite(mean)) return invalid_argument("mean is {}, but must be finite", mean);
  if (!(biases >= 0) || !std::isfinite(biases)) {
    return invalid_argument("biases is {}, but must be 0 or positive", biases);
  }
  return {};
}

LowRankData make_low_rank(const LowRankSpec& spec) {
  LowRankModel model(spec);
  LowRankData data;
  data.train = model.draw(spec.ratings);
  data.held_out = model.draw(spec.held_out);
  data.noise_floor = std::sqrt(model.noise_squares() / static_cast<double>(spec.held_out));
  return data;
}

Ratings make_low_rank_ratings(const LowRankSpec& spec) {
  LowRankModel model(spec);
  Ratings ratings{.rows = spec.rows, .columns = spec.columns};
  ratings.train = model.draw(spec.ratings);
  ratings.test = model.draw(spec.held_out);
  ratings.noise_floor = std::sqrt(model.noise_squares() / static_cast<double>(spec.held_out));
  ratings.valid = model.draw(spec.held_out);
  ratings.understood.lines.push_back(fmt::format(
      "generated: {} x {} matrix of rank {}, noise {}, zipf {}, seed {}; no model is better than "
      "RMSE {:.4f} on the {} test ratings",
      with_commas(spec.rows), with_commas(spec.columns), spec.rank, spec.noise, spec.zipf,
      spec.seed, ratings.noise_floor, with_commas(spec.held_out)));
  return ratings;
}

}  // namespace godwit
