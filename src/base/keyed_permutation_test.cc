// base/keyed_permutation_test.cc: each number once, for many sizes; and orders that look random.
#include "base/keyed_permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "base/chi_square_fixture.h"

namespace godwit {
namespace {

TEST(KeyedPermutation, HasEachNumberOnce) {
  for (std::uint64_t size = 1; size < 700; ++size) {
    for (const std::uint64_t key : {std::uint64_t{0}, size, ~size}) {
      const KeyedPermutation order(size, key);
      std::vector<bool> seen(size);
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t number = order.at(i);
        ASSERT_LT(number, size);
        ASSERT_FALSE(seen[number]) << size << " " << key;
        seen[number] = true;
      }
    }
  }
}

TEST(KeyedPermutation, TakesTheLargestSizes) {
  for (const std::uint64_t size :
       {~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 32) + 1}) {
    const KeyedPermutation order(size, 7);
    for (const std::uint64_t position : {std::uint64_t{0}, size / 2, size - 1}) {
      EXPECT_LT(order.at(position), size);
    }
    EXPECT_NE(order.at(0), order.at(1));
  }
}

// All 24 orders of four, and all places of the first of 50, come about evenly often.
TEST(KeyedPermutation, EveryOrderComesEvenlyOften) {
  std::map<std::uint64_t, double> orders;
  constexpr std::uint64_t kKeys = 24'000;
  for (std::uint64_t key = 0; key < kKeys; ++key) {
    const KeyedPermutation order(4, key);
    ++orders[order.at(0) * 16 + order.at(1) * 4 + order.at(2)];
  }
  std::vector<double> seen;
  for (const auto& [order, count] : orders) seen.push_back(count);
  ASSERT_EQ(seen.size(), 24U);
  EXPECT_LT(chi_square_sigmas(seen, std::vector<double>(24, 1.0 / 24)), kSigmasMax);

  std::vector<double> places(50);
  for (std::uint64_t key = 0; key < kKeys; ++key) ++places[KeyedPermutation(50, key).at(0)];
  EXPECT_LT(chi_square_sigmas(places, std::vector<double>(50, 1.0 / 50)), kSigmasMax);
}

// Neighbours in the order have nothing to do with each other, nor with their place.
TEST(KeyedPermutation, NeighboursAreUncorrelated) {
  constexpr std::uint64_t kSize = 60'000;
  const KeyedPermutation order(kSize, 3);
  double with_next = 0;
  double with_place = 0;
  const double mean = (kSize - 1) / 2.0;
  for (std::uint64_t i = 0; i < kSize; ++i) {
    const double here = static_cast<double>(order.at(i)) - mean;
    with_next += here * (static_cast<double>(order.at((i + 1) % kSize)) - mean);
    with_place += here * (static_cast<double>(i) - mean);
  }
  const double variance = mean * mean / 3 * kSize;
  const double sd = 1 / std::sqrt(static_cast<double>(kSize));
  EXPECT_LT(std::abs(with_next / variance), 4 * sd);
  EXPECT_LT(std::abs(with_place / variance), 4 * sd);
}

TEST(KeyedPermutation, IsTheSameEverywhere) {
  const KeyedPermutation order(1000, 42);
  const std::vector<std::uint64_t> first{order.at(0), order.at(1), order.at(999)};
  EXPECT_EQ(first, (std::vector<std::uint64_t>{397, 582, 169}));
}

TEST(KeyedPermutationDeathTest, KnowsItsBounds) {
  EXPECT_DEATH(KeyedPermutation(0, 1), "check failed");
  EXPECT_DEATH(KeyedPermutation(5, 1).at(5), "check failed");
}

}  // namespace
}  // namespace godwit
