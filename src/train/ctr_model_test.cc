// train/ctr_model_test.cc: gradients against differences of the loss.
#include "train/ctr_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"

namespace godwit {
namespace {

// The loss of one example by its definition, pair by pair.
double loss_of(const std::vector<FeatureUse>& uses, const std::vector<std::vector<float>>& rows,
               std::size_t rank, bool is_click) {
  double odds = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    odds += double{uses[i].value} * double{rows[uses[i].place][0]};
    for (std::size_t j = i + 1; j < uses.size(); ++j) {
      for (std::size_t k = 0; k < rank; ++k) {
        odds += double{uses[i].value} * double{uses[j].value} * double{rows[uses[i].place][1 + k]} *
                double{rows[uses[j].place][1 + k]};
      }
    }
  }
  return std::log1p(std::exp(is_click ? -odds : odds));
}

TEST(CtrModel, StepsAgainstTheGradient) {
  for (const std::size_t rank : {0U, 1U, 5U}) {
    for (const bool is_click : {false, true}) {
      Prng prng(rank + 1);
      const CtrModel model{.rank = rank, .learning_rate = 0.01F};
      std::vector<std::vector<float>> rows(4);
      for (auto& row : rows) {
        row.resize(2 * model.length());
        for (std::size_t i = 0; i < model.length(); ++i) {
          row[i] = static_cast<float>(prng.normal());
        }
      }
      const std::vector<FeatureUse> uses{{0, 1.0F}, {2, -0.5F}, {3, 2.0F}};
      const auto before = rows;
      std::vector<float*> places;
      for (auto& row : rows) places.push_back(row.data());
      CtrStep step(model);
      const double loss = step.learn(uses, places.data(), is_click);
      EXPECT_NEAR(loss, loss_of(uses, before, rank, is_click), 1e-5);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t i = 0; i < model.length(); ++i) {
          auto plus = before;
          auto minus = before;
          plus[row][i] += 1e-2F;
          minus[row][i] -= 1e-2F;
          const double gradient =
              (loss_of(uses, plus, rank, is_click) - loss_of(uses, minus, rank, is_click)) / 2e-2;
          const float squares = rows[row][model.length() + i];
          EXPECT_NEAR(std::sqrt(double{squares}), std::abs(gradient), 2e-3)
              << "row " << row << " float " << i;
          if (std::abs(gradient) < 1e-3) continue;
          const double moved = double{rows[row][i]} - double{before[row][i]};
          EXPECT_NEAR(moved, gradient > 0 ? -0.01 : 0.01, 1e-4);
        }
      }
      EXPECT_EQ(rows[1], before[1]) << "not of the example";
    }
  }
}

TEST(CtrModel, HugeOddsGiveAFiniteLoss) {
  CtrStep step({.rank = 0, .learning_rate = 0.1F});
  std::vector<float> row{500, 0};
  float* place = row.data();
  const std::vector<FeatureUse> uses{{0, 1.0F}};
  EXPECT_NEAR(step.learn(uses, &place, false), 500, 1e-3);
}

}  // namespace
}  // namespace godwit
