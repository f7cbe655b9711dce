// train/gemm.h: products of dense matrices, by OpenBLAS on the calling thread.
// Thread-safe. OpenBLAS is loaded when it is needed first. It has one number of threads for the
// whole process, and threads of its own would fight with the workers for the cores; that number is
// set to 1 then, for good. Whoever embeds the library and uses OpenBLAS otherwise sets it back
// after that.
#pragma once

#include <cstddef>

#include "godwit/result.h"

namespace godwit {

// A matrix in row-major order that somebody else owns; `stride` floats from a row to the next.
struct MatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;
  bool transposed = false;  // rows and columns are those before transposing

  static MatrixView dense(const float* data, std::size_t rows, std::size_t columns) {
    return {.data = data, .rows = rows, .columns = columns, .stride = columns};
  }
  MatrixView transpose() const {
    MatrixView other = *this;
    other.transposed = !transposed;
    return other;
  }
};

// OpenBLAS looks at the processor when it is loaded, and takes its slowest code for one that is
// newer than itself (0.3.21 on an Intel Granite Rapids: a fifth of the speed). This tells it what
// the processor can do, through the environment, unless OPENBLAS_CORETYPE says so already.
// REQUIRES: this process has one thread.
void tell_blas_the_processor();

// kUnavailable if there is no OpenBLAS.
Result<> load_gemm();

// What happens to the old content of the result.
enum class GemmInto : bool { kOverwrite, kAdd };

// out = a * b, or out += a * b; `out` is dense. REQUIRES: the shapes fit, each dimension < 2^31,
// `out` overlaps neither input; load_gemm() succeeds.
void gemm(const MatrixView& a, const MatrixView& b, GemmInto into, float* out);

}  // namespace godwit
