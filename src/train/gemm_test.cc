// train/gemm_test.cc: products against three loops.
#include "train/gemm.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv

#include <limits>
#include <vector>

#include "base/prng.h"

namespace godwit {
namespace {

std::vector<float> whole_numbers(std::size_t n, Prng& prng) {
  std::vector<float> result(n);
  for (float& x : result) x = static_cast<float>(prng.below(9)) - 4;  // sums are exact
  return result;
}

float at(const MatrixView& matrix, std::size_t row, std::size_t column) {
  return matrix.transposed ? matrix.data[column * matrix.stride + row]
                           : matrix.data[row * matrix.stride + column];
}

TEST(Gemm, IsTheProductForAllOrientationsAndStrides) {
  Prng prng(1);
  const std::size_t m = 17;
  const std::size_t n = 23;
  const std::size_t k = 9;
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      for (const auto into : {GemmInto::kOverwrite, GemmInto::kAdd}) {
        const std::size_t stride = 31;
        const auto a = whole_numbers(stride * stride, prng);
        const auto b = whole_numbers(stride * stride, prng);
        const MatrixView x{a.data(), left ? k : m, left ? m : k, stride, left};
        const MatrixView y{b.data(), right ? n : k, right ? k : n, stride, right};
        std::vector<float> out(m * n, 3.0F);
        gemm(x, y, into, out.data());
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            float sum = into == GemmInto::kAdd ? 3.0F : 0.0F;
            for (std::size_t l = 0; l < k; ++l) sum += at(x, i, l) * at(y, l, j);
            ASSERT_EQ(out[i * n + j], sum) << i << ' ' << j;
          }
        }
      }
    }
  }
}

TEST(Gemm, OverwritesEvenWhatIsNotANumber) {
  const std::vector<float> one = {2.0F};
  float out = std::numeric_limits<float>::quiet_NaN();
  gemm(MatrixView::dense(one.data(), 1, 1), MatrixView::dense(one.data(), 1, 1),
       GemmInto::kOverwrite, &out);
  EXPECT_EQ(out, 4.0F);
}

TEST(Gemm, LeavesOpenblasWithOneThread) {
  const std::vector<float> one = {1.0F};
  float out = 0;
  gemm(MatrixView::dense(one.data(), 1, 1), MatrixView::dense(one.data(), 1, 1),
       GemmInto::kOverwrite, &out);
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << "it is loaded";
  const auto threads = reinterpret_cast<int (*)()>(::dlsym(library, "openblas_get_num_threads"));
  ASSERT_NE(threads, nullptr);
  EXPECT_EQ(threads(), 1);
}

TEST(Gemm, ThereIsAnOpenblas) {
  const auto loaded = load_gemm();
  EXPECT_TRUE(loaded.ok()) << loaded.error().message();
}

TEST(Gemm, WhatTheProcessorCanIsSaidUnlessItWasSaid) {
  ::setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  tell_blas_the_processor();
  EXPECT_STREQ(::getenv("OPENBLAS_CORETYPE"), "Prescott");
  ::unsetenv("OPENBLAS_CORETYPE");
}

TEST(GemmDeathTest, ShapesThatDoNotFitAreABug) {
  // OpenBLAS starts its threads when it is loaded, so a plain fork is not enough.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const std::vector<float> rows(6, 1.0F);
  float out[9] = {};
  EXPECT_DEATH(gemm(MatrixView::dense(rows.data(), 2, 3), MatrixView::dense(rows.data(), 2, 3),
                    GemmInto::kOverwrite, out),
               "inner");
}

}  // namespace
}  // namespace godwit
