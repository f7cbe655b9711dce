// bench/remote_bench.h: `godwit bench remote`: rows of another process against a bare socket.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/bare_peer.h"
#include "godwit/result.h"
#include "report/bench_report.h"

namespace godwit {

struct RemoteBenchOptions {
  std::vector<SocketKind> sockets = {SocketKind::kUnix, SocketKind::kTcp};
  std::uint64_t rows = 1'000'000;  // half of them are the other process's
  std::size_t length = 64;
  std::size_t batch = 1024;
  std::size_t in_flight = 8;
  std::size_t batches = 200;  // of one slice
  std::size_t single_keys = 2000;
  std::size_t repetitions = 7;

  static RemoteBenchOptions full() { return {}; }
  static RemoteBenchOptions quick();
};

// Starts a second process for the other node. REQUIRES: this process has one thread.
// kCorruption if rows do not hold what was pushed.
Result<> run_remote_bench(const RemoteBenchOptions& options,
                          const std::function<void(const BenchResult&)>& on_result);

}  // namespace godwit
