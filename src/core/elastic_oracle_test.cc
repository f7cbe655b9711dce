// core/elastic_oracle_test.cc: elastic averaging through the real exchange against what is known of
// it on paper: its linear map and its stability on quadratic objectives, and a plain loop.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/prng.h"
#include "core/groups_fixture.h"

namespace godwit {
namespace {

constexpr std::array<Key, 1> kKey{0};
constexpr ExchangeOptions kElastic{.mode = ExchangeMode::kElastic};

// Groups take turns on f(x) = x^2 / 2, with an exchange in each step; the gradient is taken at the
// value before it.
class Turns {
 public:
  Turns(std::size_t groups, float eta, float alpha)
      : cores_(1, static_cast<std::int64_t>(groups)), eta_(eta), held_(groups, 1.0F) {
    cores_.join_all(1);
    const float beta = alpha * static_cast<float>(groups);
    table_ = cores_.open(1, exchange_spec(Rule::elastic(beta), 1, 1)).value();
  }
  void step(std::size_t group) {
    std::vector<float> value{held_[group]};
    const float gradient = value[0];
    cores_.exchange(1 + static_cast<std::int64_t>(group), table_, kElastic, kKey, value).value();
    held_[group] = value[0] - eta_ * gradient;
  }
  void round() {
    for (std::size_t group = 0; group < held_.size(); ++group) step(group);
  }
  float held(std::size_t group) const { return held_[group]; }
  float centre() { return cores_.row(table_, 0)[0]; }
  float largest() {
    float most = std::abs(centre());
    for (const float value : held_) most = std::max(most, std::abs(value));
    return most;
  }

 private:
  GroupCores cores_;
  const float eta_;
  TableId table_;
  std::vector<float> held_;
};

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Matrix power(const Matrix& matrix, int n) {
  Matrix result{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Matrix square = matrix;
  for (; n > 0; n /= 2, square = product(square, square)) {
    if (n % 2 == 1) result = product(result, square);
  }
  return result;
}

TEST(ElasticOracle, TwoGroupsAreALinearMapOfThreeNumbers) {
  const double eta = 0.2;
  const double alpha = 0.3;
  // (x1, x2, c) after group 1 has had its turn, and after group 2.
  const Matrix first{{{1 - eta - alpha, 0, alpha}, {0, 1, 0}, {alpha, 0, 1 - alpha}}};
  const Matrix second{{{1, 0, 0}, {0, 1 - eta - alpha, alpha}, {0, alpha, 1 - alpha}}};
  const Matrix both = product(second, first);
  Turns turns(2, 0.2F, 0.3F);
  for (int n = 1; n <= 100; ++n) {
    turns.round();
    const Matrix map = power(both, n);
    const auto expected = [&](std::size_t row) { return map[row][0] + map[row][1]; };
    ASSERT_NEAR(turns.held(0), expected(0), 1e-6) << n;
    ASSERT_NEAR(turns.held(1), expected(1), 1e-6) << n;
    ASSERT_NEAR(turns.centre(), expected(2), 1e-6) << n;
  }
}

TEST(ElasticOracle, TakingTurnsIsStableWhereItMustBeAndNotElsewhere) {
  for (const std::size_t groups : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    for (const float eta : {0.1F, 0.5F, 1.0F, 1.5F, 1.9F}) {
      const float limit = (4 - 2 * eta) / (4 - eta);
      Turns inside(groups, eta, 0.9F * limit);
      Turns outside(groups, eta, 1.1F * limit);
      for (int i = 0; i < 1000; ++i) inside.round();
      for (int i = 0; i < 1000 && outside.largest() < 1e6F; ++i) outside.round();
      EXPECT_LT(inside.largest(), 1e-3F) << "p " << groups << ", eta " << eta;
      EXPECT_GT(outside.largest(), 1e3F) << "p " << groups << ", eta " << eta;
    }
  }
}

TEST(ElasticOracle, StepsThatAreTooLongDivergeHoweverTheyAreHeldTogether) {
  Turns turns(2, 2.1F, 0.01F);
  for (int i = 0; i < 1000 && turns.largest() < 1e6F; ++i) turns.round();
  EXPECT_GT(turns.largest(), 1e3F);
}

TEST(ElasticOracle, EqualsAPlainLoopBitForBit) {
  constexpr std::size_t kGroups = 3;
  constexpr std::size_t kRows = 5;
  constexpr std::size_t kLength = 7;
  GroupCores cores(2, kGroups);
  cores.join_all(2);
  const Rule rule = Rule::elastic(0.9F);
  const TableId table = cores.open(2, exchange_spec(rule, kLength, kRows)).value();
  const std::array<Key, kRows> keys{0, 1, 2, 3, 4};
  const float alpha = 0.9F / static_cast<float>(kGroups);
  std::vector<std::vector<float>> held(kGroups, std::vector<float>(kRows * kLength));
  std::vector<std::vector<float>> plain = held;
  std::vector<float> centre(kRows * kLength);
  Prng prng(9);
  for (int step = 0; step < 200; ++step) {
    const std::size_t group = prng.below(kGroups);
    for (std::size_t i = 0; i < centre.size(); ++i) {
      const float change = static_cast<float>(prng.uniform() - 0.5);
      held[group][i] += change;
      plain[group][i] += change;
      const float moved = alpha * (plain[group][i] - centre[i]);
      centre[i] += moved;
      plain[group][i] -= moved;
    }
    const auto node = 2 + static_cast<std::int64_t>(group);
    cores.exchange(node, table, kElastic, keys, held[group]).value();
    ASSERT_EQ(held[group], plain[group]);
    ASSERT_EQ(cores.pull(2, table, keys, kLength).value(), centre);
  }
}

}  // namespace
}  // namespace godwit
