// train/factorization.h: matrix factorization by stochastic gradient descent on two tables.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "data/low_rank.h"
#include "godwit/result.h"
#include "godwit/session.h"

namespace godwit {

struct FactorizationOptions {
  std::uint32_t rank = 8;
  std::int64_t epochs = 15;
  std::size_t batch = 256;
  std::int64_t workers = 1;
  float learning_rate = 0.15F;  // of AdaGrad
  float penalty = 0.002F;       // L2, on the factors of each rating
  std::uint64_t seed = 1;

  Result<> validate() const;
};

struct EpochReport {
  std::int64_t epoch = 0;  // from 1
  double train_rmse = 0;   // while training, over the epoch
  double held_out_rmse = 0;
};

// Learns row and column factors of `data.train`, shared out over the nodes of the session's job and
// over one thread per worker. All nodes call it with the same arguments. Node 0 judges and reports
// each epoch; what comes back there is the last report.
Result<EpochReport> factorize(Session& session, const LowRankSpec& shape, const LowRankData& data,
                              const FactorizationOptions& options,
                              const std::function<void(const EpochReport&)>& on_epoch);

}  // namespace godwit
