// sched/slot_lp.cc: rows and columns, and what rounding makes of them.
#include "sched/slot_lp.h"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/prng.h"
#include "sched/rounding.h"

namespace godwit {
namespace {

// What Clp takes for no bound.
constexpr double kUnbounded = std::numeric_limits<double>::max();

JobShares placement_of(const std::vector<int>& workers, const std::vector<int>& servers) {
  JobShares placement;
  for (std::size_t h = 0; h < workers.size(); ++h) {
    if (workers[h] + servers[h] == 0) continue;
    placement.push_back({static_cast<MachineIndex>(h), workers[h], servers[h]});
  }
  return placement;
}

bool is_feasible(const SlotMarket& market, const std::vector<int>& workers,
                 const std::vector<int>& servers, int workers_wanted) {
  const Job& job = market.job();
  const int all_workers = std::accumulate(workers.begin(), workers.end(), 0);
  const int all_servers = std::accumulate(servers.begin(), servers.end(), 0);
  if (all_workers < workers_wanted || all_workers > job.workers_max) return false;
  if (!job.elastic && all_workers != workers_wanted) return false;
  if (all_servers < job.servers_for(all_workers)) return false;
  for (std::size_t h = 0; h < workers.size(); ++h) {
    if (workers[h] + servers[h] > 0 &&
        !fits(job.demand(workers[h], servers[h]), market.room()[h])) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct SlotLp::Model {
  Clp_Simplex* clp = nullptr;
  std::size_t machines = 0;
  double workers_per_server = 1;
  double pack_rows = 1;
  double pack_width = 1;  // W_b

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() {
    if (clp != nullptr) Clp_deleteModel(clp);
  }
};

SlotLp::SlotLp() : model_(std::make_unique<Model>()) {}
SlotLp::~SlotLp() = default;

void SlotLp::load(const SlotMarket& market) {
  const Job& job = market.job();
  const std::size_t machines = market.machine_count();
  model_ = std::make_unique<Model>();
  model_->clp = Clp_newModel();
  Clp_setLogLevel(model_->clp, 0);
  model_->machines = machines;
  model_->workers_per_server = job.workers_per_server;
  // Rows: workers, servers, then one for each machine and resource where both compete.
  std::vector<double> row_low{0, 0};
  std::vector<double> row_high{static_cast<double>(job.workers_max), kUnbounded};
  std::vector<std::vector<std::pair<int, double>>> columns(2 * machines);
  std::vector<double> upper(2 * machines, 0);
  std::vector<double> costs(2 * machines, 0);
  model_->pack_width = job.workers_max;
  for (std::size_t h = 0; h < machines; ++h) {
    const Resources& room = market.room()[h];
    const int workers = count_that_fits(job.worker, room, job.workers_max);
    const int servers = count_that_fits(job.server, room, job.servers_for(job.workers_max));
    upper[h] = workers;
    upper[machines + h] = servers;
    costs[h] = market.worker_cost()[h];
    costs[machines + h] = market.server_cost()[h];
    columns[h].emplace_back(0, 1);
    columns[machines + h].emplace_back(1, 1);
    for (std::size_t r = 0; r < kResourcesMax; ++r) {
      for (const double demand : {job.worker[r], job.server[r]}) {
        if (demand > 0 && room[r] > 0) {
          model_->pack_width = std::min(model_->pack_width, room[r] / demand);
        }
      }
      if (job.worker[r] <= 0 || job.server[r] <= 0) continue;
      if (job.worker[r] * workers + job.server[r] * servers <= room[r]) continue;
      const int row = static_cast<int>(row_low.size());
      row_low.push_back(-kUnbounded);
      row_high.push_back(std::max(0.0, room[r]));
      columns[h].emplace_back(row, job.worker[r]);
      columns[machines + h].emplace_back(row, job.server[r]);
    }
  }
  model_->pack_rows = static_cast<double>(machines * kResourcesMax + 1);
  std::vector<CoinBigIndex> starts{0};
  std::vector<int> indices;
  std::vector<double> values;
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) {
      indices.push_back(row);
      values.push_back(value);
    }
    starts.push_back(static_cast<CoinBigIndex>(indices.size()));
  }
  const std::vector<double> lower(2 * machines, 0);
  Clp_loadProblem(model_->clp, static_cast<int>(2 * machines), static_cast<int>(row_low.size()),
                  starts.data(), indices.data(), values.data(), lower.data(), upper.data(),
                  costs.data(), row_low.data(), row_high.data());
}

SlotLp::Relaxed SlotLp::relaxed(double workers) {
  GODWIT_CHECK(model_->clp != nullptr);
  double* low = Clp_rowLower(model_->clp);
  low[0] = workers;
  low[1] = workers / model_->workers_per_server;
  Clp_dual(model_->clp, 0);
  Relaxed relaxed;
  relaxed.feasible = Clp_status(model_->clp) == 0;
  if (!relaxed.feasible) return relaxed;
  relaxed.cost = Clp_objectiveValue(model_->clp);
  const double* counts = Clp_primalColumnSolution(model_->clp);
  relaxed.counts.assign(counts, counts + 2 * model_->machines);
  for (double& count : relaxed.counts) count = std::max(0.0, count);
  return relaxed;
}

double SlotLp::gain(const PlannerOptions& options) const {
  if (options.rounding_gain > 0) return options.rounding_gain;
  if (options.rounding != Rounding::kPaper) return 1;
  return packing_gain(model_->pack_rows, std::max(model_->pack_width, 1e-9), options.delta);
}

SlotLp::Rounded SlotLp::solve(const SlotMarket& market, int workers, const PlannerOptions& options,
                              double least) {
  Rounded best;
  const Relaxed lp = relaxed(workers);
  if (!lp.feasible || lp.cost >= least) return best;
  const std::size_t machines = model_->machines;
  const auto consider = [&](const std::vector<int>& w, const std::vector<int>& s) {
    if (!is_feasible(market, w, s, workers)) return false;
    const JobShares placement = placement_of(w, s);
    const double cost = market.keep(placement);
    if (cost < best.cost) best = {cost, placement};
    return true;
  };
  if (options.rounding != Rounding::kRepair) {
    Prng prng(mix64(
        mix64(options.seed, market.job().index),
        mix64(static_cast<std::uint64_t>(market.first()), static_cast<std::uint64_t>(workers))));
    const double factor = gain(options);
    for (int trial = 0; trial < options.rounding_trials; ++trial) {
      const std::vector<int> counts = round_randomly(lp.counts, factor, prng);
      const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(machines);
      if (consider({counts.begin(), middle}, {middle, counts.end()})) break;
    }
  }
  if (options.rounding != Rounding::kPaper) {
    std::vector<int> w(machines);
    std::vector<int> s(machines);
    for (std::size_t h = 0; h < machines; ++h) {
      w[h] = static_cast<int>(std::floor(lp.counts[h] + 1e-9));
      s[h] = static_cast<int>(std::floor(lp.counts[machines + h] + 1e-9));
    }
    if (market.repair(workers, market.job().servers_for(workers), w, s)) consider(w, s);
  }
  return best;
}

}  // namespace godwit
