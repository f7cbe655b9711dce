// tests/proc/lease_job.cc: a node of a job whose nodes want the same rows and others, under leases.
//
//   lease_job SECONDS
//
// Rows 0 to 9 of table "rows" are wanted by all nodes at once, rows 10 to 99 by one node after the
// other. Prints "working" after some ticks. Exit codes: 0, 1 an error, 2 bad input, 3 a node was
// lost.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "godwit/godwit.h"

namespace {

constexpr std::int64_t kAhead = 20;

int say(const godwit::Error& error) {
  std::fprintf(stderr, "lease_job: %s\n", error.message().c_str());
  return error.code() == godwit::ErrorCode::kUnavailable ? 3 : 1;
}

std::vector<godwit::Key> keys_of(std::int64_t node, std::int64_t tick) {
  std::vector<godwit::Key> keys;
  for (godwit::Key key = 0; key < 10; ++key) keys.push_back(key);
  const auto turn = static_cast<godwit::Key>(tick / 50 + node) % 9;
  for (godwit::Key key = 0; key < 10; ++key) keys.push_back(10 + 10 * turn + key);
  return keys;
}

godwit::Result<> work(godwit::Session& session, const godwit::Table& table, double seconds) {
  auto worker = session.worker();
  if (!worker) return worker.error();
  std::deque<godwit::Lease> leases;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t tick = 0;
       std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds); ++tick) {
    while (static_cast<std::int64_t>(leases.size()) < kAhead) {
      const std::int64_t first = tick + static_cast<std::int64_t>(leases.size());
      auto lease = worker->intend(table, keys_of(session.node().value(), first),
                                  godwit::Tick{first}, godwit::Tick{first + 1});
      if (!lease) return lease.error();
      leases.push_back(std::move(*lease));
    }
    if (auto opened = worker->open(leases.front()); !opened) return opened;
    leases.pop_front();
    if (auto advanced = worker->advance(); !advanced) return advanced;
    if (tick != 100) continue;
    std::puts("working");
    std::fflush(stdout);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto session = godwit::Session::open();
  if (!session) return say(session.error());
  auto table = session->table({.name = "rows", .rows = 100, .row_length = 16});
  if (!table) return say(table.error());
  if (auto done = work(*session, *table, std::strtod(argv[1], nullptr)); !done) {
    const int code = say(done.error());
    (void)session->close().ok();
    return code;
  }
  if (auto closed = session->close(); !closed) return say(closed.error());
  return 0;
}
