// bench/remote_bench_test.cc: the benchmark at toy size: two processes, verified sums.
#include "bench/remote_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace godwit {
namespace {

TEST(BarePeer, GathersAndAddsRows) {
  for (const SocketKind kind : {SocketKind::kUnix, SocketKind::kTcp}) {
    const SocketPair sockets = connected_pair(kind).value();
    std::vector<float> rows{0, 1, 10, 11, 20, 21};
    std::jthread server([&] { serve_bare(sockets.second, rows, 2); });
    BareClient client(sockets.first, 2);
    client.send_push(std::vector<Key>{2, 0, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
    client.send_pull(std::vector<Key>{2, 1});
    client.read_done();
    std::vector<float> values(4);
    client.read_rows(values);
    EXPECT_EQ(values, (std::vector<float>{26, 29, 10, 11})) << to_string(kind);
    client.ping(100, 7);
    client.stay_on_one_core(true);
    client.ping(100, 7);
    client.stay_on_one_core(false);
    hang_up(sockets.first);
  }
}

TEST(RemoteBench, RunsAndVerifies) {
  RemoteBenchOptions options;
  options.rows = 400;
  options.length = 4;
  options.batch = 16;
  options.batches = 10;
  options.single_keys = 5;
  options.repetitions = 1;
  std::vector<std::string> names;
  run_remote_bench(options, [&](const BenchResult& result) {
    names.push_back(result.case_name);
    EXPECT_GT(result.ratio, 0);
  }).value();
  EXPECT_THAT(names, testing::IsSupersetOf({"pull/len=4/batch=16/in-flight=8/socket=unix",
                                            "push/len=4/batch=16/in-flight=8/socket=tcp",
                                            "pull-one/p50/len=4/socket=tcp"}));
}

}  // namespace
}  // namespace godwit
