// train/adagrad_rows_test.cc: the same bits as a loop over single numbers.
#include "train/adagrad_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/prng.h"
#include "base/simd_targets_fixture.h"

namespace godwit {
namespace {

TEST(AdagradRows, StepsAreThoseOfSingleNumbers) {
  Prng prng(3);
  const auto draw = [&] { return static_cast<float>(unit_double(prng.next())) - 0.5F; };
  constexpr float kRate = 0.3F;
  for (const std::size_t length : {1U, 7U, 8U, 37U, 128U}) {
    std::vector<float> value(length + 1);
    std::vector<float> squares(length + 1);
    std::vector<float> gradient(length);
    for (float& number : value) number = draw();
    for (float& number : squares) number = std::abs(draw());
    for (float& number : gradient) number = draw();
    squares[0] = 0;
    gradient[0] = 0;  // a row that nobody has changed, and nothing to change
    std::vector<float> value_after = value;
    std::vector<float> squares_after = squares;
    for (std::size_t i = 0; i < length; ++i) {
      squares_after[i] += gradient[i] * gradient[i];
      value_after[i] -= kRate * gradient[i] / (std::sqrt(squares_after[i]) + kAdagradEpsilon);
    }
    for (const std::int64_t target : targets()) {
      const OnlyTarget only(target);
      std::vector<float> new_value = value;
      std::vector<float> new_squares = squares;
      step_adagrad(gradient.data(), length, kRate, new_value.data(), new_squares.data());
      EXPECT_EQ(new_value, value_after) << length << " on " << hwy::TargetName(target);
      EXPECT_EQ(new_squares, squares_after) << length << " on " << hwy::TargetName(target);
    }
  }
}

}  // namespace
}  // namespace godwit
