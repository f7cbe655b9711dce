// group/group_test.cc: every verb against plain sums, over random shapes, group sizes and copies.
#include "group/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "group/group_fixture.h"

namespace godwit {
namespace {

// Small chunks, so that short lists have many.
GroupOptions fixed(Algorithm algorithm, std::size_t chunk_bytes = 256, std::size_t in_flight = 2,
                   bool streams = false) {
  return {.wait_max = std::chrono::seconds(20),
          .algorithm = algorithm,
          .ring = {.chunk_bytes = chunk_bytes, .in_flight = in_flight, .streams = streams}};
}

Shape draw_shape(Prng& prng) {
  Shape shape;
  shape.copies = 1 + prng.below(4);
  const std::size_t tensors = 1 + prng.below(6);
  for (std::size_t i = 0; i < tensors; ++i) {
    const std::size_t largest = prng.below(3) == 0 ? 2000 : 40;
    shape.lengths.push_back(prng.below(largest));
  }
  return shape;
}

std::string text_of(const Shape& shape, int size, std::uint64_t seed) {
  std::string text = "seed " + std::to_string(seed) + ": " + std::to_string(size) + " ranks, " +
                     std::to_string(shape.copies) + " copies of";
  for (const std::size_t length : shape.lengths) text += " " + std::to_string(length);
  return text;
}

// What each rank has after `verb`, which is run on values drawn from the seed.
template <class Value>
struct Ran {
  std::vector<RankValues<Value>> before;
  std::vector<RankValues<Value>> after;
};
template <class Value>
Ran<Value> run_verb(const Shape& shape, int size, std::uint64_t seed, const GroupOptions& options,
                    const std::function<Result<>(Group&, const TensorList&)>& verb) {
  Ran<Value> ran;
  for (int rank = 0; rank < size; ++rank) {
    ran.before.push_back(draw_values<Value>(shape, seed * 100 + static_cast<unsigned>(rank)));
  }
  ran.after = ran.before;
  const auto run = [&](Group& group) {
    const TensorList list = ran.after[static_cast<std::size_t>(group.rank())].list();
    const auto done = verb(group, list);
    EXPECT_TRUE(done.ok()) << done.error().message();
  };
  // Messages go either way in half of the runs.
  run_ranks(size, options, run, seed % 2 == 0);
  return ran;
}

template <class Value>
void expect_allreduce(std::uint64_t seed, Algorithm algorithm) {
  Prng prng(seed);
  const Shape shape = draw_shape(prng);
  const int size = 1 + static_cast<int>(prng.below(5));
  SCOPED_TRACE(text_of(shape, size, seed) + " by " + to_string(algorithm));
  const bool is_mean = prng.below(2) == 0;
  const auto options = fixed(algorithm, 64 << prng.below(6), 1 + prng.below(4), seed % 4 == 0);
  const auto ran = run_verb<Value>(shape, size, seed, options, [&](Group& group, const auto& list) {
    return group.allreduce(list, is_mean ? Reduction::kMean : Reduction::kSum);
  });
  const auto sums = sums_of(ran.before, shape.copies);
  const double terms = static_cast<double>(shape.copies) * size;
  expect_near(ran.after[0].flat(0), sums, is_mean ? 1 / terms : 1, {0, sums.size()});
  for (const auto& rank : ran.after) {
    for (std::size_t copy = 0; copy < shape.copies; ++copy) {
      ASSERT_EQ(rank.flat(copy), ran.after[0].flat(0)) << "bits differ";
    }
  }
}

class GroupSeeds : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Group, GroupSeeds, testing::Range<std::uint64_t>(1, 25));

TEST_P(GroupSeeds, AllreduceGivesTheSumsWithTheSameBitsToAll) {
  for (const Algorithm algorithm : kAlgorithms) {
    expect_allreduce<float>(GetParam(), algorithm);
    expect_allreduce<std::uint16_t>(GetParam(), algorithm);
  }
}

template <class Value>
void expect_shares(std::uint64_t seed) {
  Prng prng(seed);
  const Shape shape = draw_shape(prng);
  const int size = 1 + static_cast<int>(prng.below(5));
  SCOPED_TRACE(text_of(shape, size, seed));
  const auto options =
      fixed(Algorithm::kRing, 64 << prng.below(6), 1 + prng.below(4), seed % 4 == 0);
  const auto scattered =
      run_verb<Value>(shape, size, seed, options,
                      [](Group& group, const auto& list) { return group.reduce_scatter(list); });
  const auto sums = sums_of(scattered.before, shape.copies);
  for (int rank = 0; rank < size; ++rank) {
    const auto& after = scattered.after[static_cast<std::size_t>(rank)];
    const auto& before = scattered.before[static_cast<std::size_t>(rank)];
    const Interval share = share_of(sums.size(), rank, size);
    auto expected = before.flat(0);
    const auto got = after.flat(0);
    expect_near(got, sums, 1, share);
    std::copy(got.begin() + static_cast<std::ptrdiff_t>(share.begin),
              got.begin() + static_cast<std::ptrdiff_t>(share.end),
              expected.begin() + static_cast<std::ptrdiff_t>(share.begin));
    ASSERT_EQ(got, expected) << "values outside of the share have changed";
    for (std::size_t copy = 1; copy < shape.copies; ++copy) {
      ASSERT_EQ(after.flat(copy), before.flat(copy)) << "another copy has changed";
    }
  }

  const auto gathered =
      run_verb<Value>(shape, size, seed, options,
                      [](Group& group, const auto& list) { return group.allgather(list); });
  std::vector<Value> expected;
  for (int rank = 0; rank < size; ++rank) {
    const auto flat = gathered.before[static_cast<std::size_t>(rank)].flat(0);
    const Interval share = share_of(flat.size(), rank, size);
    expected.insert(expected.end(), flat.begin() + static_cast<std::ptrdiff_t>(share.begin),
                    flat.begin() + static_cast<std::ptrdiff_t>(share.end));
  }
  for (const auto& after : gathered.after) {
    for (std::size_t copy = 0; copy < shape.copies; ++copy) {
      ASSERT_EQ(after.flat(copy), expected);
    }
  }
}

TEST_P(GroupSeeds, ReduceScatterGivesEachItsShareAndAllgatherAllShares) {
  expect_shares<float>(GetParam());
  expect_shares<std::uint16_t>(GetParam());
}

TEST_P(GroupSeeds, ReduceScatterThenAllgatherHasTheBitsOfTheRing) {
  Prng prng(GetParam());
  const Shape shape = draw_shape(prng);
  const int size = 1 + static_cast<int>(prng.below(5));
  const auto options = fixed(Algorithm::kRing);
  const auto in_two = run_verb<float>(shape, size, GetParam(), options,
                                      [](Group& group, const auto& list) -> Result<> {
                                        const auto done = group.reduce_scatter(list);
                                        return done.ok() ? group.allgather(list) : done;
                                      });
  const auto in_one =
      run_verb<float>(shape, size, GetParam(), options,
                      [](Group& group, const auto& list) { return group.allreduce(list); });
  EXPECT_EQ(in_two.after[0].flat(0), in_one.after[0].flat(0));
}

TEST_P(GroupSeeds, BroadcastGivesTheRootsFirstCopyToAll) {
  Prng prng(GetParam());
  const Shape shape = draw_shape(prng);
  const int size = 1 + static_cast<int>(prng.below(5));
  const int root = static_cast<int>(prng.below(static_cast<std::uint64_t>(size)));
  SCOPED_TRACE(text_of(shape, size, GetParam()) + " from " + std::to_string(root));
  const auto ran =
      run_verb<float>(shape, size, GetParam(), fixed(Algorithm::kRing),
                      [&](Group& group, const auto& list) { return group.broadcast(list, root); });
  const auto expected = ran.before[static_cast<std::size_t>(root)].flat(0);
  for (const auto& after : ran.after) {
    for (std::size_t copy = 0; copy < shape.copies; ++copy) {
      ASSERT_EQ(after.flat(copy), expected);
    }
  }
}

TEST(Group, BitsDoNotDependOnChunksNorOnTheRun) {
  const Shape shape{.lengths = {1000, 3, 700}, .copies = 2};
  const auto bits_with = [&](std::size_t chunk_bytes, std::size_t in_flight) {
    return run_verb<float>(shape, 3, 7, fixed(Algorithm::kRing, chunk_bytes, in_flight),
                           [](Group& group, const auto& list) { return group.allreduce(list); })
        .after[0]
        .flat(0);
  };
  const auto bits = bits_with(128, 1);
  EXPECT_EQ(bits_with(128, 1), bits);
  EXPECT_EQ(bits_with(4096, 3), bits);
  EXPECT_EQ(bits_with(std::size_t{1} << 20, 4), bits);
}

TEST(Group, ABf16SumIsRoundedOnce) {
  // 1 + 2^-8 + 2^-8: in bf16, which has 8 bits, each addition alone would be rounded away.
  for (const Algorithm algorithm : kAlgorithms) {
    std::vector<std::uint16_t> values[3] = {{0x3f80}, {0x3b80}, {0x3b80}};
    run_ranks(3, fixed(algorithm), [&](Group& group) {
      TensorList list(ValueType::kBf16);
      list.add(values[group.rank()]).value();
      group.allreduce(list).value();
    });
    for (const auto& value : values) EXPECT_EQ(value[0], 0x3f81) << to_string(algorithm);
  }
}

TEST(Group, MeasuresCostsThatAllAgreeOn) {
  std::array<Costs, 3> costs;
  run_ranks(3, {}, [&](Group& group) {
    costs[static_cast<std::size_t>(group.rank())] = group.costs();
    std::vector<float> ones(100'000, 1);
    TensorList list;
    list.add(ones).value();
    for (int i = 0; i < 3; ++i) group.allreduce(list, Reduction::kMean).value();
    EXPECT_THAT(ones, testing::Each(1.0F));
  });
  EXPECT_EQ(costs[0].seconds, costs[1].seconds);
  EXPECT_EQ(costs[0].seconds, costs[2].seconds);
  EXPECT_EQ(costs[0].ring.chunk_bytes, costs[2].ring.chunk_bytes);
  EXPECT_GT(costs[0].seconds[0][0], 0);
}

}  // namespace
}  // namespace godwit
