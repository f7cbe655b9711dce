// bench/plain_mf.cc: matrix factorization on two arrays, block by block.
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/try.h"
#include "bench/plain_rows.h"
#include "bench/plain_training.h"
#include "train/mf_blocks.h"
#include "train/mf_kernels.h"
#include "train/mf_task.h"

namespace godwit {
namespace {

class PlainMf final : public PlainTraining {
 public:
  PlainMf(MfSetup setup, const Ratings& ratings, const PlainWork& work, PlainRows rows,
          PlainRows columns)
      : setup_(std::move(setup)),
        moments_(moments_of(ratings.train)),
        segments_(work.segments),
        rows_(std::move(rows)),
        columns_(std::move(columns)) {
    for (const auto& share : share_rows(ratings.train, ratings.rows, work.workers)) {
      blocks_.push_back(make_blocks(ratings.train, share, ratings.columns, setup_.blocks,
                                    moments_.mean, 1 / moments_.deviation, setup_.seed));
    }
  }

  void begin_epoch(std::int64_t epoch) override { epoch_ = static_cast<std::uint64_t>(epoch); }

  void train(const WorkerShare& share, std::int64_t segment, Sums& sums) override {
    std::vector<float*> rows;
    std::vector<float*> columns;
    double squares = 0;
    double examples = 0;
    for (const std::uint32_t number :
         block_order(setup_.blocks, segment, segments_, mix64(setup_.seed, epoch_), share)) {
      const MfBlock& block = blocks_[static_cast<std::size_t>(share.in_node)][number];
      rows_.point(block.rows, rows);
      columns_.point(block.columns, columns);
      squares +=
          learn_ratings(block.ratings, rows.data(), columns.data(), setup_.layout, setup_.step);
      examples += static_cast<double>(block.ratings.size());
    }
    const auto variance = double{moments_.deviation} * double{moments_.deviation};
    sums["loss"] += squares * variance;
    sums["examples"] += examples;
  }

 private:
  const MfSetup setup_;
  const RatingMoments moments_;
  const std::int64_t segments_;
  const PlainRows rows_;
  const PlainRows columns_;
  std::vector<std::vector<MfBlock>> blocks_;  // of each worker
  std::uint64_t epoch_ = 0;
};

}  // namespace

Result<std::unique_ptr<PlainTraining>> make_plain_mf(const Settings& settings,
                                                     const Ratings& ratings,
                                                     const PlainWork& work) {
  MfSetup setup = mf_setup_of(settings, ratings);
  GODWIT_TRY_ASSIGN(PlainRows rows, PlainRows::make(setup.rows));
  GODWIT_TRY_ASSIGN(PlainRows columns, PlainRows::make(setup.columns));
  return std::unique_ptr<PlainTraining>(std::make_unique<PlainMf>(
      std::move(setup), ratings, work, std::move(rows), std::move(columns)));
}

}  // namespace godwit
