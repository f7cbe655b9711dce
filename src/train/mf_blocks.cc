// train/mf_blocks.cc: sorts ratings by block and row, and numbers the rows of each block.
#include "train/mf_blocks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/prng.h"

namespace godwit {
namespace {

constexpr std::size_t kBlockBytes = 384 << 10;  // of column rows: most of a core's L2 is left
constexpr std::uint32_t kBlocksMin = 16;        // so that some workers find each their own

std::uint32_t block_of(std::uint32_t column, std::uint32_t columns, std::uint32_t blocks) {
  return static_cast<std::uint32_t>(std::uint64_t{column} * blocks / columns);
}

// The distinct keys, rising; each rating's key becomes its place among them.
template <class Member>
std::vector<Key> number(std::vector<BlockRating>& ratings, Member member) {
  std::vector<Key> keys;
  keys.reserve(ratings.size());
  for (const BlockRating& rating : ratings) keys.push_back(rating.*member);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (BlockRating& rating : ratings) {
    const auto found = std::lower_bound(keys.begin(), keys.end(), Key{rating.*member});
    rating.*member = static_cast<std::uint32_t>(found - keys.begin());
  }
  return keys;
}

}  // namespace

RatingMoments moments_of(std::span<const Rating> ratings) {
  double sum = 0;
  double squares = 0;
  RatingMoments moments{.min = ratings[0].value, .max = ratings[0].value};
  for (const Rating& rating : ratings) {
    sum += double{rating.value};
    squares += double{rating.value} * double{rating.value};
    moments.min = std::min(moments.min, rating.value);
    moments.max = std::max(moments.max, rating.value);
  }
  const auto n = static_cast<double>(ratings.size());
  const double variance = squares / n - (sum / n) * (sum / n);
  moments.mean = static_cast<float>(sum / n);
  if (variance > 1e-12) moments.deviation = static_cast<float>(std::sqrt(variance));
  return moments;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> share_rows(std::span<const Rating> ratings,
                                                                std::uint32_t rows,
                                                                std::int64_t workers) {
  std::vector<std::uint64_t> counts(rows);
  for (const Rating& rating : ratings) ++counts[rating.row];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shares;
  std::uint32_t row = 0;
  std::uint64_t seen = 0;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    const std::uint32_t first = row;
    const double goal = static_cast<double>(ratings.size()) * static_cast<double>(worker + 1) /
                        static_cast<double>(workers);
    while (row < rows && (worker + 1 == workers || static_cast<double>(seen) < goal)) {
      seen += counts[row++];
    }
    shares.emplace_back(first, row);
  }
  return shares;
}

std::uint32_t count_blocks(std::uint32_t columns, std::size_t row_bytes) {
  const auto fitting = static_cast<std::uint32_t>(columns * row_bytes / kBlockBytes + 1);
  return std::min(columns, std::max(kBlocksMin, fitting));
}

std::vector<MfBlock> make_blocks(std::span<const Rating> ratings,
                                 std::pair<std::uint32_t, std::uint32_t> rows,
                                 std::uint32_t columns, std::uint32_t blocks, float mean,
                                 float scale, std::uint64_t seed) {
  std::vector<MfBlock> made(blocks);
  for (const Rating& rating : ratings) {
    if (rating.row < rows.first || rating.row >= rows.second) continue;
    made[block_of(rating.column, columns, blocks)].ratings.push_back(
        {rating.row, rating.column, (rating.value - mean) * scale});
  }
  for (MfBlock& block : made) {
    const auto place = [seed](const BlockRating& rating) {
      return std::pair(rating.row, mix64(seed, rating.column));
    };
    std::sort(block.ratings.begin(), block.ratings.end(),
              [&](const BlockRating& a, const BlockRating& b) { return place(a) < place(b); });
    block.rows = number(block.ratings, &BlockRating::row);
    block.columns = number(block.ratings, &BlockRating::column);
  }
  return made;
}

std::vector<std::uint32_t> block_order(std::uint32_t blocks, std::int64_t segment,
                                       std::int64_t segments, std::uint64_t seed,
                                       const WorkerShare& share) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    if (std::int64_t{block} * segments / blocks == segment) order.push_back(block);
  }
  Prng prng(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
  const auto n = static_cast<std::int64_t>(order.size());
  std::rotate(order.begin(), order.begin() + share.index * n / share.count % n, order.end());
  return order;
}

}  // namespace godwit
