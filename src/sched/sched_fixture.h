// sched/sched_fixture.h: small clusters and jobs for tests, and the exact optimum of small cases.
#pragma once

#include <coin/Cbc_C_Interface.h>

#include <string>
#include <vector>

#include "base/prng.h"
#include "sched/instance.h"

namespace godwit {

// Machines with "gpu" and "cpu".
inline Cluster small_cluster(std::size_t machines, double gpu, double cpu) {
  Cluster cluster{.resources = {"gpu", "cpu"}, .machines = {}};
  for (std::size_t h = 0; h < machines; ++h) {
    cluster.machines.push_back({"m" + std::to_string(h), {gpu, cpu}});
  }
  return cluster;
}

// A worker trains a sample in `in` slots if all are on one machine, else in `ex`.
inline Job small_job(double work, int workers_max, int per_server, double in, double ex) {
  Job job;
  job.name = "job";
  job.work = work;
  job.workers_max = workers_max;
  job.workers_wanted = std::max(1, workers_max / 2);
  job.workers_per_server = per_server;
  // g and the rates are chosen so that 2 g gamma / (F b) is what is missing.
  const PaperSpeed speed{.sample_slots = in / 2,
                         .model_bytes = 0.5,
                         .workers_per_server = 1,
                         .batch = 1,
                         .bytes_internal = 1 / (in / 2),
                         .bytes_external = 1 / (ex - in / 2)};
  job.speed = SpeedCurve::paper(speed, workers_max);
  job.worker = {1, 1};
  job.server = {0, 1};
  job.utility = {.kind = Utility::Kind::kSigmoid, .priority = 10, .urgency = 0.5, .target = 3};
  return job;
}

// Few jobs that compete for few machines.
inline Instance small_instance(std::uint64_t seed, std::size_t machines, int slots, int jobs) {
  Prng prng(mix64(seed, 77));
  const auto between = [&](double low, double high) { return low + (high - low) * prng.uniform(); };
  const auto whole = [&](int low, int high) {
    return low + static_cast<int>(prng.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  Instance instance;
  instance.name = "small";
  instance.cluster = small_cluster(machines, 3, 7);
  instance.slots = slots;
  for (int i = 0; i < jobs; ++i) {
    const double in = between(0.5, 1);
    const int most = whole(1, 5);
    Job job = small_job(between(1, 6), most, whole(1, 3), in, in * between(1.1, 2));
    job.name = "j" + std::to_string(i);
    job.arrival = whole(0, slots / 2);
    job.arrived = job.arrival;
    job.worker = {static_cast<double>(whole(0, 1)), static_cast<double>(whole(1, 2))};
    job.server = {0, static_cast<double>(whole(1, 2))};
    const double urgencies[] = {0, between(0.1, 1), between(4, 6)};
    job.utility = {.kind = Utility::Kind::kSigmoid,
                   .priority = between(1, 100),
                   .urgency = urgencies[prng.below(3)],
                   .target = between(1, slots / 2.0)};
    instance.jobs.push_back(job);
  }
  settle_jobs(instance).value();
  return instance;
}

// The highest total utility of the offline problem, by CBC: for each job and slot it runs on one
// machine, or spread at the slower speed, or not at all. Speeds must be linear in workers.
// Negative if CBC did not prove an optimum.
class OfflineOptimum {
 public:
  explicit OfflineOptimum(const Instance& instance) : instance_(instance) {
    Cbc_setLogLevel(model_, 0);
    Cbc_setObjSense(model_, -1);
    Cbc_setParameter(model_, "ratioGap", "1e-7");
  }
  ~OfflineOptimum() { Cbc_deleteModel(model_); }
  OfflineOptimum(const OfflineOptimum&) = delete;
  OfflineOptimum& operator=(const OfflineOptimum&) = delete;

  double solve() {
    const std::size_t machines = instance_.cluster.machine_count();
    const std::size_t cells = static_cast<std::size_t>(instance_.slots) * machines;
    for (std::size_t r = 0; r < kResourcesMax; ++r) used_[r].resize(cells);
    for (const Job& job : instance_.jobs) add_job(job);
    for (std::size_t r = 0; r < instance_.cluster.resource_count(); ++r) {
      for (std::size_t cell = 0; cell < cells; ++cell) {
        row(used_[r][cell], 'L', instance_.cluster.machines[cell % machines].capacity[r]);
      }
    }
    Cbc_solve(model_);
    return Cbc_isProvenOptimal(model_) != 0 ? Cbc_getObjValue(model_) : -1;
  }

 private:
  struct Term {
    int column;
    double factor;
  };
  using Terms = std::vector<Term>;

  int column(double most, double gain) {
    Cbc_addCol(model_, "x", 0, most, gain, 1, 0, nullptr, nullptr);
    return columns_++;
  }
  void row(const Terms& terms, char sense, double right) {
    if (terms.empty()) return;
    std::vector<int> columns;
    std::vector<double> factors;
    for (const Term& term : terms) {
      columns.push_back(term.column);
      factors.push_back(term.factor);
    }
    Cbc_addRow(model_, "r", static_cast<int>(terms.size()), columns.data(), factors.data(), sense,
               right);
  }

  void add_job(const Job& job) {
    const std::size_t machines = instance_.cluster.machine_count();
    const double most = job.workers_max;
    std::vector<int> ends;  // by slot from arrival: whether it ends there
    Terms once;
    for (int t = job.arrival; t < instance_.slots; ++t) {
      ends.push_back(column(1, job.utility.at(t - job.arrival)));
      once.push_back({ends.back(), 1});
    }
    row(once, 'L', 1);
    Terms work;
    for (const int end : ends) work.push_back({end, -job.work});
    for (int t = job.arrival; t < instance_.slots; ++t) {
      Terms cases;
      Terms workers;
      Terms spread_servers;
      const int spread = column(1, 0);
      cases.push_back({spread, 1});
      Terms spread_workers{{spread, -most}};
      for (std::size_t h = 0; h < machines; ++h) {
        const std::size_t cell = static_cast<std::size_t>(t) * machines + h;
        const int here = column(1, 0);
        cases.push_back({here, 1});
        const Resources& room = instance_.cluster.machines[h].capacity;
        int together = job.workers_max;  // bounds as tight as can be: CBC is far faster
        while (together > 0 && !fits(job.demand(together), room)) --together;
        for (const bool internal : {true, false}) {
          const int w =
              column(internal ? together : count_that_fits(job.worker, room, job.workers_max), 0);
          const int s =
              column(internal ? job.servers_for(together)
                              : count_that_fits(job.server, room, job.servers_for(job.workers_max)),
                     0);
          for (std::size_t r = 0; r < kResourcesMax; ++r) {
            if (job.worker[r] > 0) used_[r][cell].push_back({w, job.worker[r]});
            if (job.server[r] > 0) used_[r][cell].push_back({s, job.server[r]});
          }
          work.push_back({w, job.speed.samples(1, internal)});
          workers.push_back({w, 1});
          if (internal) {
            row({{w, 1}, {here, -static_cast<double>(together)}}, 'L', 0);
            row({{s, -static_cast<double>(job.workers_per_server)}, {w, 1}}, 'L', 0);
          } else {
            spread_workers.push_back({w, 1});
            spread_servers.push_back({w, 1});
            spread_servers.push_back({s, -static_cast<double>(job.workers_per_server)});
          }
        }
      }
      row(cases, 'L', 1);
      row(spread_workers, 'L', 0);
      row(spread_servers, 'L', 0);
      // Nothing runs after the end.
      for (std::size_t e = static_cast<std::size_t>(t - job.arrival); e < ends.size(); ++e) {
        workers.push_back({ends[e], -most});
      }
      row(workers, 'L', 0);
    }
    row(work, 'G', -1e-7);
  }

  const Instance& instance_;
  Cbc_Model* model_ = Cbc_newModel();
  int columns_ = 0;
  std::vector<Terms> used_[kResourcesMax];  // by slot and machine
};

}  // namespace godwit
