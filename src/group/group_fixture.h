// group/group_fixture.h: groups whose ranks are threads, and lists of random shape with the sums
// they must get, for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "group/group.h"
#include "group/inproc_group.h"
#include "group/values_fixture.h"

namespace godwit {

// run(group) on a thread for each rank.
inline void run_ranks(int size, const GroupOptions& options, const std::function<void(Group&)>& run,
                      bool with_views = false) {
  auto exchangers = make_inproc_exchangers(size, with_views);
  std::vector<std::jthread> threads;
  for (auto& exchanger : exchangers) {
    threads.emplace_back([&options, &run, mine = std::move(exchanger)]() mutable {
      auto group = Group::open(std::move(mine), options);
      ASSERT_TRUE(group.ok()) << group.error().message();
      run(**group);
    });
  }
}

// Tensors of one rank: values[tensor][copy][element].
template <class Value>
struct RankValues {
  std::vector<std::vector<std::vector<Value>>> tensors;

  TensorList list() {
    TensorList all(type_of<Value>(), tensors.empty() ? 1 : tensors[0].size());
    for (auto& copies : tensors) {
      std::vector<std::span<Value>> spans(copies.begin(), copies.end());
      all.add(std::span<const std::span<Value>>(spans)).value();
    }
    return all;
  }
  // Of copy `copy`, one tensor after the other.
  std::vector<Value> flat(std::size_t copy) const {
    std::vector<Value> all;
    for (const auto& copies : tensors) {
      all.insert(all.end(), copies[copy].begin(), copies[copy].end());
    }
    return all;
  }
};

// The same for all ranks.
struct Shape {
  std::vector<std::size_t> lengths;
  std::size_t copies = 1;
};

template <class Value>
RankValues<Value> draw_values(const Shape& shape, std::uint64_t seed) {
  Prng prng(seed);
  RankValues<Value> values;
  for (const std::size_t length : shape.lengths) {
    values.tensors.emplace_back(shape.copies, std::vector<Value>(length));
    for (auto& copy : values.tensors.back()) draw(prng, copy);
  }
  return values;
}

// The sums over all ranks and copies, in double, flattened.
template <class Value>
std::vector<double> sums_of(const std::vector<RankValues<Value>>& ranks, std::size_t copies) {
  std::vector<double> sums(ranks[0].flat(0).size());
  for (const auto& rank : ranks) {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      const auto flat = rank.flat(copy);
      for (std::size_t i = 0; i < flat.size(); ++i) sums[i] += double{number(flat[i])};
    }
  }
  return sums;
}

// Drawn numbers are multiples of 2^-18 below 2 (f32) or shorter (bf16): f32 sums of up to 20 of
// them are off by less than this, and a bf16 result is the nearest to that.
template <class Value>
void expect_near(const std::vector<Value>& got, const std::vector<double>& sums, double scale,
                 Interval where) {
  const double slack = std::is_same_v<Value, float> ? 1e-5 : 0.005;
  for (std::size_t i = where.begin; i < where.end; ++i) {
    const double wanted = sums[i] * scale;
    ASSERT_NEAR(double{number(got[i])}, wanted, slack * std::max(1.0, std::abs(wanted))) << i;
  }
}

}  // namespace godwit
