// tests/proc/sum_job.cc: a node of a job that adds ones to rows of all nodes and checks the sums.
//
//   sum_job ROUNDS [ROW_LENGTH [JOIN_SECONDS]]
//
// The job is the one this process was started for. 0 rounds: until it fails. Prints "working" after
// the first round and "sums are right" on success. Exit codes: 0, 1 wrong sums or a timeout, 2 bad
// input, 3 a node was lost or not there.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "godwit/godwit.h"

namespace {

constexpr godwit::Key kRows = 3000;

int say(const godwit::Error& error) {
  std::fprintf(stderr, "sum_job: %s\n", error.message().c_str());
  if (error.code() == godwit::ErrorCode::kInvalidArgument) return 2;
  return error.code() == godwit::ErrorCode::kUnavailable ? 3 : 1;
}

godwit::Result<> work(godwit::Session& session, const godwit::Table& table, long rounds) {
  auto worker = session.worker();
  if (!worker) return worker.error();
  std::vector<godwit::Key> keys(kRows);
  for (godwit::Key key = 0; key < kRows; ++key) keys[key] = key;
  const std::size_t floats = kRows * table.spec().row_length;
  const std::vector<float> ones(floats, 1.0F);
  for (long round = 0; rounds == 0 || round < rounds; ++round) {
    if (auto pushed = worker->push(table, keys, ones); !pushed) return pushed;
    if (round == 0) {
      std::puts("working");
      std::fflush(stdout);
    }
  }
  if (auto met = session.barrier(); !met) return met;
  std::vector<float> values(floats);
  if (auto pulled = worker->pull(table, keys, values); !pulled) return pulled;
  const auto expected = static_cast<float>(rounds * session.nodes());
  for (const float value : values) {
    if (value != expected) {
      return godwit::Error(godwit::ErrorCode::kCorruption, "a sum is wrong");
    }
  }
  return session.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) return 2;
  const long rounds = std::strtol(argv[1], nullptr, 10);
  const long row_length = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 4;
  godwit::SessionOptions options;
  if (argc > 3) options.join_max = std::chrono::seconds(std::strtol(argv[3], nullptr, 10));
  auto session = godwit::Session::open(options);
  if (!session) return say(session.error());
  auto table = session->table(
      {.name = "sums", .rows = kRows, .row_length = static_cast<std::uint32_t>(row_length)});
  if (!table) return say(table.error());
  if (auto done = work(*session, *table, rounds); !done) {
    const int code = say(done.error());
    (void)session->close().ok();
    return code;
  }
  if (auto closed = session->close(); !closed) return say(closed.error());
  std::puts("sums are right");
  return 0;
}
