// pace/exponential_model.h: how long a step takes that waits for k of n workers whose communication
// and computation times are exponential. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace godwit {

// By quadrature. The finite sums that exist for it cancel beyond repair: for n = 50, k = 10 and
// half the load they give -7e14 in double precision, where 0.583 is right.
class ExponentialModel {
 public:
  // Mean seconds of a worker's communication, and of its computation of a full load; one of them
  // may be 0. REQUIRES: workers >= 1; means >= 0, finite, not both 0.
  ExponentialModel(std::uint32_t workers, double comm_mean, double compute_mean);

  // mu(1) .. mu(workers), in this order, if each computes this share of the full load; the error is
  // below 1e-6 of each. REQUIRES: share >= 0; share > 0 if comm_mean is 0.
  std::vector<double> order_means(double share) const;

  // One of them. REQUIRES: likewise, and 1 <= k <= workers.
  double mu(std::uint32_t k, double share) const;

 private:
  std::uint32_t workers_;
  double comm_mean_;
  double compute_mean_;
};

}  // namespace godwit
