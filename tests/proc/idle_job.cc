// tests/proc/idle_job.cc: a node that does nothing for a while, and what that costs.
//
//   idle_job SECONDS   (the job is the one this process was started for)
//
// Prints {"cpu_percent": of one core, "frames": sent meanwhile, "bytes": of them}.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "godwit/godwit.h"

namespace {

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const double seconds = std::strtod(argv[1], nullptr);
  auto session = godwit::Session::open();
  if (!session) return 1;
  // Some work first: a node that has worked is as quiet as a new one.
  auto table = session->table({.name = "rows", .rows = 1000, .row_length = 4});
  auto worker = session->worker();
  if (!table || !worker) return 1;
  std::vector<godwit::Key> keys(1000);
  for (godwit::Key key = 0; key < keys.size(); ++key) keys[key] = key;
  std::vector<float> values(4000);
  for (int i = 0; i < 100; ++i) {
    if (!worker->pull(*table, keys, values)) return 1;
  }
  if (!session->barrier()) return 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // receipts of the barrier

  auto before = session->metrics();
  const double cpu_before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double cpu = cpu_seconds() - cpu_before;
  auto after = session->metrics();
  std::printf("{\"cpu_percent\": %.3f, \"frames\": %.0f, \"bytes\": %.0f}\n", 100 * cpu / seconds,
              after["sent.frames"] - before["sent.frames"],
              after["sent.bytes"] - before["sent.bytes"]);
  return session->close() ? 0 : 1;
}
