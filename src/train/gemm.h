// train/gemm.h: products of dense matrices, by OpenBLAS on the calling thread.
// Thread-safe. OpenBLAS has one number of threads for the whole process, and threads of its own
// would fight with the workers for the cores; the first gemm() sets that number to 1, for good.
// Whoever embeds the library and uses OpenBLAS otherwise sets it back after that. The threads that
// OpenBLAS starts when it is loaded stay, asleep; OPENBLAS_NUM_THREADS=1 in the environment spares
// them.
#pragma once

#include <cstddef>

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

// What happens to the old content of the result.
enum class GemmInto : bool { kOverwrite, kAdd };

// out = a * b, or out += a * b; `out` is dense. REQUIRES: the shapes fit, each dimension < 2^31,
// `out` overlaps neither input.
void gemm(const MatrixView& a, const MatrixView& b, GemmInto into, float* out);

}  // namespace godwit
