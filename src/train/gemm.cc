// train/gemm.cc: the one file that knows OpenBLAS.
#include "train/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace godwit {
namespace {

blasint as_int(std::size_t n) {
  GODWIT_CHECK_LE(n, static_cast<std::size_t>(std::numeric_limits<blasint>::max()));
  return static_cast<blasint>(n);
}

CBLAS_TRANSPOSE orientation(const MatrixView& matrix) {
  return matrix.transposed ? CblasTrans : CblasNoTrans;
}

bool set_one_thread() {
  openblas_set_num_threads(1);
  return true;
}

}  // namespace

void gemm(const MatrixView& a, const MatrixView& b, GemmInto into, float* out) {
  static const bool single = set_one_thread();
  GODWIT_CHECK(single);
  const std::size_t rows = a.transposed ? a.columns : a.rows;
  const std::size_t inner = a.transposed ? a.rows : a.columns;
  const std::size_t columns = b.transposed ? b.rows : b.columns;
  GODWIT_CHECK_EQ(inner, (b.transposed ? b.columns : b.rows));
  if (rows == 0 || columns == 0) return;
  const float beta = into == GemmInto::kAdd ? 1.0F : 0.0F;
  cblas_sgemm(CblasRowMajor, orientation(a), orientation(b), as_int(rows), as_int(columns),
              as_int(inner), 1.0F, a.data, as_int(std::max<std::size_t>(a.stride, 1)), b.data,
              as_int(std::max<std::size_t>(b.stride, 1)), beta, out, as_int(columns));
}

}  // namespace godwit
