// group/combine_test.cc: sums against plain loops, on every instruction set.
#include "group/combine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/prng.h"
#include "base/simd_targets_fixture.h"
#include "group/values_fixture.h"

namespace godwit {
namespace {

template <class Value>
std::vector<std::byte*> places(std::vector<std::vector<Value>>& copies) {
  std::vector<std::byte*> all;
  for (auto& copy : copies) all.push_back(reinterpret_cast<std::byte*>(copy.data()));
  return all;
}

template <class Source, class Received, class Target>
void expect_sums(std::size_t copies, std::size_t length, Prng& prng) {
  std::vector<std::vector<Source>> sources(copies, std::vector<Source>(length));
  std::vector<std::vector<Target>> targets(2, std::vector<Target>(length));
  std::vector<Received> received(length);
  for (auto& source : sources) draw(prng, source);
  draw(prng, received);
  const auto from = places(sources);
  const auto to = places(targets);
  // With room in front, so that it is aligned in some runs and not in others.
  std::vector<Target> streamed(length + 64);
  Target* const past_caches = streamed.data() + prng.below(64);
  for (const bool with_received : {false, true}) {
    combine({.type = type_of<Source>(),
             .copies = from,
             .received = with_received ? reinterpret_cast<std::byte*>(received.data()) : nullptr,
             .received_type = type_of<Received>(),
             .scale = 0.25F,
             .target_type = type_of<Target>(),
             .targets = to,
             .streamed = with_received ? reinterpret_cast<std::byte*>(past_caches) : nullptr,
             .length = length});
    for (std::size_t i = 0; i < length; ++i) {
      float sum = number(sources[0][i]);
      for (std::size_t j = 1; j < copies; ++j) sum += number(sources[j][i]);
      if (with_received) sum += number(received[i]);
      const auto expected = rounded<Target>(sum * 0.25F);
      ASSERT_EQ(targets[0][i], expected) << i << " of " << length;
      ASSERT_EQ(targets[1][i], expected);
      ASSERT_EQ(past_caches[i], with_received ? expected : Target{});
    }
  }
}

TEST(Combine, SumsAreThoseOfAPlainLoopOnEveryInstructionSet) {
  for (const std::int64_t target : targets()) {
    const OnlyTarget only(target);
    Prng prng(3);
    for (const std::size_t copies : {1, 2, 3, 4, 5}) {
      for (const std::size_t length : {0, 1, 15, 16, 17, 100, 513}) {
        expect_sums<float, float, float>(copies, length, prng);
        expect_sums<std::uint16_t, float, float>(copies, length, prng);
        expect_sums<std::uint16_t, std::uint16_t, float>(copies, length, prng);
        expect_sums<std::uint16_t, float, std::uint16_t>(copies, length, prng);
        expect_sums<std::uint16_t, std::uint16_t, std::uint16_t>(copies, length, prng);
      }
    }
  }
}

TEST(Combine, WhatIsStreamedMayBeTheOnlyTarget) {
  for (const std::int64_t target : targets()) {
    const OnlyTarget only(target);
    std::vector<std::vector<float>> copies(2, std::vector<float>(100, 1.5F));
    alignas(64) std::array<float, 100> sums{};
    combine({.copies = places(copies),
             .streamed = reinterpret_cast<std::byte*>(sums.data()),
             .length = 100});
    EXPECT_THAT(sums, testing::Each(3.0F));
  }
}

TEST(Combine, ANanStaysOneInBf16AndWhatIsTooLargeBecomesInfinite) {
  std::vector<std::vector<std::uint16_t>> copies{{0x7f80, 0x7f7f, 0xff81}};
  const auto at = places(copies);
  std::vector<float> received{-std::numeric_limits<float>::infinity(), 3e38F, 1};
  combine({.type = ValueType::kBf16,
           .copies = at,
           .received = reinterpret_cast<std::byte*>(received.data()),
           .target_type = ValueType::kBf16,
           .targets = at,
           .length = 3});
  EXPECT_TRUE(std::isnan(number(copies[0][0])));
  EXPECT_EQ(copies[0][1], 0x7f80);
  EXPECT_TRUE(std::isnan(number(copies[0][2])));
}

TEST(Combine, TargetsMayLieWhereTheReceivedWas) {
  Prng prng(5);
  constexpr std::size_t kLength = 100;
  std::vector<std::vector<std::uint16_t>> copies(1, std::vector<std::uint16_t>(kLength));
  draw(prng, copies[0]);
  const auto from = places(copies);
  // bf16 in the upper half of the room becomes f32 in all of it.
  std::vector<std::uint16_t> room(2 * kLength);
  std::vector<std::uint16_t> received(kLength);
  draw(prng, received);
  std::copy(received.begin(), received.end(), room.begin() + kLength);
  std::byte* to = reinterpret_cast<std::byte*>(room.data());
  combine({.type = ValueType::kBf16,
           .copies = from,
           .received = to + kLength * 2,
           .received_type = ValueType::kBf16,
           .targets = std::span(&to, 1),
           .length = kLength});
  for (std::size_t i = 0; i < kLength; ++i) {
    float sum = 0;
    std::memcpy(&sum, to + i * 4, 4);
    ASSERT_EQ(sum, number(copies[0][i]) + number(received[i])) << i;
  }
}

}  // namespace
}  // namespace godwit
