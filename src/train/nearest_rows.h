// train/nearest_rows.h: rows whose direction is nearest to a vector's. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace godwit {

struct NearRow {
  std::size_t row = 0;
  double cosine = 0;
};

// The `count` rows with the largest cosine, largest first; of equal ones the first row first.
// `rows` are `stride` floats apart, of which the first vector.size() count; `skipped` are left out.
// The cosine with a row of zeros is 0. REQUIRES: stride >= vector.size() > 0.
std::vector<NearRow> nearest_rows(std::span<const float> rows, std::size_t stride,
                                  std::span<const float> vector, std::size_t count,
                                  std::span<const std::size_t> skipped);

}  // namespace godwit
