// bench/elastic_bench.h: groups of ranks that train one model over slow links: gradients in every
// step against parameters now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/catalog.h"
#include "godwit/result.h"
#include "launch/environment.h"
#include "report/bench_report.h"

namespace godwit {

struct ElasticBenchOptions {
  std::string program;  // godwit
  std::string task = "mlp";
  std::string data = "fashion-mnist";
  std::vector<std::string> settings;  // "hidden=128", of all cases
  // Of each mode: what it is called, and its own settings. If something is wanted, the time to the
  // target is to be that many times shorter than that of sync; bytes and the end are judged, too.
  struct Mode {
    std::string name;
    std::vector<std::string> settings;
    double wanted = 0;
  };
  std::vector<Mode> modes;
  std::vector<std::int64_t> groups = {4};  // one after the other
  std::int64_t ranks = 8;                  // of all groups together
  std::int64_t epochs = 12;
  std::string rate = "100mbit";  // of the link of each group; empty: no network is made
  // What is to be reached on the test split.
  std::string figure = "accuracy";
  bool is_larger_better = true;
  double target = 0.87;
  std::int64_t seed = 1;
  std::chrono::seconds deadline{1800};  // of a run
  std::string picture;                  // a file for plots of all runs; empty: none
  Catalog catalog;
  Environment environment;  // that the programs get

  static ElasticBenchOptions full();
  static ElasticBenchOptions quick();  // whether it works, not how well
};

// Runs every case, one after the other. Before the others, one of ranks that are each for itself
// and send gradients in every step, for a single epoch and without slow links: how many bytes that
// takes is what all are compared with. Times are compared with sync in as many groups. A mode of
// which something is wanted has two results more: "/bytes", which are to be fewer by 0.9 of the
// ranks of a group times the steps between exchanges, and "/final": the figure at the end, which is
// to be that of sync, but for 0.005. kNotFound if the data are not there; kUnavailable if there
// can be no slow links; errors of run_program().
Result<> run_elastic_bench(const ElasticBenchOptions& options,
                           const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
