// train/mf_blocks.h: one worker's ratings, in blocks of columns: while a worker is at a block no
// other need be, and a block's column rows fit into a core's cache. Immutable once made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/ratings.h"
#include "godwit/ids.h"
#include "train/mf_kernels.h"
#include "train/task.h"

namespace godwit {

struct MfBlock {
  std::vector<Key> rows;     // that occur, rising
  std::vector<Key> columns;  // that occur, rising
  std::vector<BlockRating> ratings;
};

// Ratings are learned in units of their deviation about their mean.
struct RatingMoments {
  float mean = 0;
  float deviation = 1;
  float min = 0;
  float max = 0;
};

// REQUIRES: there is a rating.
RatingMoments moments_of(std::span<const Rating> ratings);

// Rows [first, last) of a worker: all workers get about as many ratings.
std::vector<std::pair<std::uint32_t, std::uint32_t>> share_rows(std::span<const Rating> ratings,
                                                                std::uint32_t rows,
                                                                std::int64_t workers);

// How many blocks: depends on the columns and on how long their rows are, not on who works.
std::uint32_t count_blocks(std::uint32_t columns, std::size_t row_bytes);

// The blocks of the rows [first, last). Values become (value - mean) * scale. In a block rows rise,
// so that memory is gone through in one direction; a row's columns are in an order drawn by `seed`.
std::vector<MfBlock> make_blocks(std::span<const Rating> ratings,
                                 std::pair<std::uint32_t, std::uint32_t> rows,
                                 std::uint32_t columns, std::uint32_t blocks, float mean,
                                 float scale, std::uint64_t seed);

// The blocks of one of an epoch's segments, in an order drawn by `seed`; each worker begins
// elsewhere.
std::vector<std::uint32_t> block_order(std::uint32_t blocks, std::int64_t segment,
                                       std::int64_t segments, std::uint64_t seed,
                                       const WorkerShare& share);

}  // namespace godwit
