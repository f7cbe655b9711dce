// group/tensor_list_test.cc: what fits into a list, and where its elements are.
#include "group/tensor_list.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace godwit {
namespace {

TEST(TensorList, RefusesWhatDoesNotFit) {
  std::vector<float> three(3);
  std::vector<float> four(4);
  std::vector<std::uint16_t> halves(3);
  TensorList list(ValueType::kF32, 2);
  EXPECT_EQ(list.add(three).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(list.add(std::array{std::span(three), std::span(four)}).error().message(),
            "copies of tensor 0 have 3 and 4 elements");
  EXPECT_FALSE(list.add(std::array{std::span(halves), std::span(halves)}).ok());
  EXPECT_EQ(list.tensors(), 0U);
  EXPECT_EQ(list.length(), 0U);
}

TEST(TensorList, PiecesArePartsOfTensorsInOrder) {
  std::vector<float> a(3);
  std::vector<float> none;
  std::vector<float> b(5);
  TensorList list;
  list.add(a).value();
  list.add(none).value();
  list.add(b).value();
  EXPECT_EQ(list.length(), 8U);
  std::vector<std::string> pieces;
  const auto note = [&](std::span<std::byte* const> copies, std::size_t at, std::size_t n) {
    const auto* first = reinterpret_cast<const float*>(copies[0]);
    const bool in_a = first >= a.data() && first < a.data() + a.size();
    pieces.push_back((in_a ? "a" : "b") + std::to_string(first - (in_a ? a : b).data()) + " at " +
                     std::to_string(at) + ": " + std::to_string(n));
  };
  list.for_pieces({2, 7}, note);
  EXPECT_EQ(pieces, (std::vector<std::string>{"a2 at 0: 1", "b0 at 1: 4"}));
  pieces.clear();
  list.for_pieces({3, 3}, note);
  EXPECT_TRUE(pieces.empty());
}

TEST(TensorList, ASpanInsideOfOneTensorHasAPlace) {
  std::vector<float> a(3);
  std::vector<float> b(5);
  TensorList list;
  list.add(a).value();
  list.add(b).value();
  EXPECT_EQ(list.place({3, 8}, 0), reinterpret_cast<std::byte*>(b.data()));
  EXPECT_EQ(list.place({1, 3}, 0), reinterpret_cast<std::byte*>(a.data() + 1));
  EXPECT_EQ(list.place({2, 4}, 0), nullptr);
}

}  // namespace
}  // namespace godwit
