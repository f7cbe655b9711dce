// train/gemm.cc: the one file that knows OpenBLAS.
#include "train/gemm.h"

#include <cblas.h>
#include <dlfcn.h>
#include <hwy/targets.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "base/check.h"
#include "base/errors.h"

namespace godwit {
namespace {

blasint as_int(std::size_t n) {
  GODWIT_CHECK_LE(n, static_cast<std::size_t>(std::numeric_limits<blasint>::max()));
  return static_cast<blasint>(n);
}

CBLAS_TRANSPOSE orientation(const MatrixView& matrix) {
  return matrix.transposed ? CblasTrans : CblasNoTrans;
}

struct OpenBlas {
  decltype(&cblas_sgemm) sgemm = nullptr;
  std::string failure;  // why there is none
};

OpenBlas load() {
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {.failure = ::dlerror()};
  const auto set_threads = reinterpret_cast<decltype(&openblas_set_num_threads)>(
      ::dlsym(library, "openblas_set_num_threads"));
  OpenBlas blas{.sgemm = reinterpret_cast<decltype(&cblas_sgemm)>(::dlsym(library, "cblas_sgemm"))};
  if (blas.sgemm == nullptr || set_threads == nullptr) return {.failure = "it lacks functions"};
  set_threads(1);
  return blas;
}

// Loaded once, and never unloaded.
const OpenBlas& blas() {
  static const OpenBlas loaded = load();
  return loaded;
}

}  // namespace

void tell_blas_the_processor() {
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);  // others would only sleep
  const auto can = static_cast<std::uint64_t>(hwy::SupportedTargets());
  const char* const core = (can & HWY_AVX3) != 0   ? "SkylakeX"
                           : (can & HWY_AVX2) != 0 ? "Haswell"
                                                   : nullptr;  // it finds out by itself
  if (core != nullptr) ::setenv("OPENBLAS_CORETYPE", core, 0);
}

Result<> load_gemm() {
  if (blas().sgemm != nullptr) return {};
  return unavailable("OpenBLAS is needed for this (Debian: libopenblas0): {}", blas().failure);
}

void gemm(const MatrixView& a, const MatrixView& b, GemmInto into, float* out) {
  GODWIT_CHECK(blas().sgemm != nullptr);
  const std::size_t rows = a.transposed ? a.columns : a.rows;
  const std::size_t inner = a.transposed ? a.rows : a.columns;
  const std::size_t columns = b.transposed ? b.rows : b.columns;
  GODWIT_CHECK_EQ(inner, (b.transposed ? b.columns : b.rows));
  if (rows == 0 || columns == 0) return;
  const float beta = into == GemmInto::kAdd ? 1.0F : 0.0F;
  blas().sgemm(CblasRowMajor, orientation(a), orientation(b), as_int(rows), as_int(columns),
               as_int(inner), 1.0F, a.data, as_int(std::max<std::size_t>(a.stride, 1)), b.data,
               as_int(std::max<std::size_t>(b.stride, 1)), beta, out, as_int(columns));
}

}  // namespace godwit
