// wire/value_feedback_test.cc: what encode_with_feedback() keeps, and that nothing gets lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "wire/value_codec.h"
#include "wire/value_codec_oracle.h"

namespace godwit {
namespace {

TEST(ValueFeedback, RowsWithOneBadNumberAnywhereAreRefusedAndLeftAlone) {
  on_every_target([] {
    for (const std::size_t length : lengths()) {
      std::vector<float> row(length, 2);
      std::vector<std::byte> out(coded_bytes(Codec::kFp32, length) + 4);
      for (std::size_t at = 0; at < length; ++at) {
        for (const float bad : {kNan, kInfinity, -kInfinity}) {
          row[at] = bad;
          const auto before = row;
          EXPECT_TRUE(is_refused(Codec::kInt8, row));
          for (const Codec codec : {Codec::kBf16, Codec::kInt8}) {
            const auto room = std::span(out).first(coded_bytes(codec, length));
            ASSERT_FALSE(encode_with_feedback(codec, row, room));
            ASSERT_TRUE(same(row, before)) << to_string(codec) << at;
          }
        }
        row[at] = 2;
      }
      row.back() = kMax;  // bf16 has nothing near it, int8 has
      EXPECT_FALSE(encode_with_feedback(Codec::kBf16, row,
                                        std::span(out).first(coded_bytes(Codec::kBf16, length))));
      EXPECT_EQ(row.back(), kMax);
      EXPECT_FALSE(is_refused(Codec::kInt8, row));
    }
  });
}

TEST(ValueFeedback, Fp32LeavesNoResidualWhateverTheRow) {
  std::vector<float> row{1, kNan, kInfinity, -kMax};
  std::vector<std::byte> out(16);
  ASSERT_TRUE(encode_with_feedback(Codec::kFp32, row, out));
  EXPECT_TRUE(same(row, std::vector<float>(4, 0.0F)));
  EXPECT_EQ(decoded(Codec::kFp32, out, 4)[2], kInfinity);
}

// The owner's side of a row that gets `deltas`, each sent with what was left of those before;
// returns what is left at the end. The owner adds in double, so only the sender rounds.
std::vector<float> send_all(Codec codec, const std::vector<std::vector<float>>& deltas,
                            std::vector<double>& owner) {
  std::vector<float> unsent(owner.size(), 0.0F);
  std::vector<std::byte> out(coded_bytes(codec, owner.size()));
  for (const auto& delta : deltas) {
    for (std::size_t i = 0; i < unsent.size(); ++i) unsent[i] += delta[i];
    EXPECT_TRUE(encode_with_feedback(codec, unsent, out));
    const auto there = decoded(codec, out, owner.size());
    for (std::size_t i = 0; i < owner.size(); ++i) owner[i] += double{there[i]};
  }
  return unsent;
}

TEST(ValueFeedback, WithFeedbackOnlyTheSendersOwnAdditionsRound) {
  constexpr std::size_t kLength = 37;
  Prng prng(5);
  std::vector<std::vector<float>> deltas(1000);
  std::vector<double> sums(kLength, 0.0);
  float largest = 0;
  for (auto& delta : deltas) {
    delta = normal_row(prng, kLength);
    for (std::size_t i = 0; i < kLength; ++i) {
      sums[i] += double{delta[i]};
      largest = std::max(largest, std::abs(delta[i]));
    }
  }
  for (const Codec codec : kCodecs) {
    std::vector<double> owner(kLength, 0.0);
    const auto unsent = send_all(codec, deltas, owner);
    const double rounding = 1000 * 0x1p-24 * double{2 * largest};
    for (std::size_t i = 0; i < kLength; ++i) {
      EXPECT_NEAR(owner[i] + double{unsent[i]}, sums[i], rounding) << to_string(codec);
    }
  }
}

TEST(ValueFeedback, IntegersArriveExactlyOnceTheRestIsSentInFp32) {
  constexpr std::size_t kLength = 21;
  Prng prng(6);
  std::vector<std::vector<float>> deltas(1000, std::vector<float>(kLength));
  std::vector<double> sums(kLength, 0.0);
  for (auto& delta : deltas) {
    for (std::size_t i = 0; i < kLength; ++i) {
      delta[i] = static_cast<float>(prng.below(2049)) - 1024;
      sums[i] += double{delta[i]};
    }
  }
  std::vector<double> owner(kLength, 0.0);
  const auto unsent = send_all(Codec::kBf16, deltas, owner);
  EXPECT_NE(owner, sums);
  send_all(Codec::kFp32, {unsent}, owner);
  EXPECT_EQ(owner, sums);
}

}  // namespace
}  // namespace godwit
