// bench/worker_threads.h: a thread for each worker of a benchmark.
#pragma once

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "godwit/result.h"

namespace godwit {

// run(worker), which returns a Result<>, for all at the same time. Returns when all have ended,
// with the first error if there is one.
template <class BenchWorker, class Run>
Result<> run_in_threads(std::vector<BenchWorker>& workers, Run&& run) {
  std::vector<std::optional<Error>> errors(workers.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      threads.emplace_back([&run, &worker = workers[i], &error = errors[i]] {
        if (auto done = run(worker); !done.ok()) error = std::move(done).error();
      });
    }
  }
  for (auto& error : errors) {
    if (error) return std::move(*error);
  }
  return {};
}

}  // namespace godwit
