// tests/proc/tick_job.cc: a node of a job whose reads may not be older than some ticks.
//
//   tick_job TICKS CONSISTENCY SECONDS PUSHES [LINK]
//
// In each tick its two workers read all rows, check that nobody's ticks are missing that must not
// be, nor there that must not be, and add 1 to their element of each, under a lease or, if PUSHES
// is 1, in every other tick by a push. A read or lease that has waited for SECONDS says whom it
// waits for and is made again; a push may have happened then. In the end the sums must be exact:
// prints "sums are right".
// LINK slows the network down (godwit/session.h). Exit codes: 0, 1 an error or a wrong value, 2 bad
// input, 3 a node was lost.
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "godwit/godwit.h"

namespace {

using godwit::Key;
using godwit::Tick;

constexpr std::int64_t kWorkers = 2;
constexpr std::size_t kRows = 24;
constexpr std::int64_t kAutoMax = 16;  // ticks that are found out to be best at most

struct Plan {
  std::int64_t ticks = 0;
  godwit::Consistency consistency;
  bool pushes = false;
};

// Makes the call until it does not end for lack of time.
template <class Call>
godwit::Result<> insist(Call&& call) {
  for (;;) {
    auto done = call();
    if (done.ok() || done.error().code() != godwit::ErrorCode::kTimeout) return done;
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
  }
}

class TickWorker {
 public:
  TickWorker(godwit::Worker worker, const godwit::Table& table, const Plan& plan,
             std::size_t number)
      : worker_(std::move(worker)), table_(table), plan_(plan), number_(number), keys_(kRows) {
    std::iota(keys_.begin(), keys_.end(), Key{0});
  }

  godwit::Result<> run() {
    for (std::int64_t tick = 0; tick < plan_.ticks; ++tick) {
      if (auto done = read(tick); !done.ok()) return done;
      if (auto done = plan_.pushes && tick % 2 == 0 ? push() : write(tick); !done.ok()) return done;
      auto done = worker_.advance();
      if (!done.ok() && done.error().code() != godwit::ErrorCode::kTimeout) return done;
      if (!done.ok()) std::fprintf(stderr, "%s\n", done.error().message().c_str());
    }
    return {};
  }

 private:
  std::size_t workers() const { return table_.spec().row_length; }
  bool is_bsp() const { return plan_.consistency.kind == godwit::ConsistencyKind::kBsp; }
  std::int64_t staleness() const {
    return plan_.consistency.kind == godwit::ConsistencyKind::kAuto ? kAutoMax
                                                                    : plan_.consistency.staleness;
  }

  godwit::Result<> read(std::int64_t tick) {
    std::vector<float> values(kRows * workers());
    auto pulled = insist([&] { return worker_.pull(table_, keys_, values); });
    if (!pulled.ok()) return pulled;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_own = i % workers() == number_;
      const auto least = static_cast<float>(is_own ? tick : tick - staleness());
      if (is_bsp() ? values[i] == least : values[i] >= least) continue;
      std::fprintf(stderr, "tick %ld reads %g of worker %zu\n", static_cast<long>(tick),
                   double{values[i]}, i % workers());
      return godwit::Error(godwit::ErrorCode::kCorruption, "a read is too old, or too new");
    }
    return {};
  }

  godwit::Result<> push() {
    std::vector<float> ones(kRows * workers());
    for (std::size_t i = 0; i < kRows; ++i) ones[i * workers() + number_] = 1;
    return worker_.push(table_, keys_, ones);
  }

  godwit::Result<> write(std::int64_t tick) {
    auto lease = worker_.intend(table_, keys_, Tick{tick}, Tick{tick + 1});
    if (!lease.ok()) return lease.error();
    auto opened = insist([&] { return worker_.open(*lease); });
    if (!opened.ok()) return opened;
    for (std::size_t i = 0; i < kRows; ++i) (*lease)[i].value()[number_] += 1;
    return worker_.close(*lease);
  }

  godwit::Worker worker_;
  const godwit::Table& table_;
  const Plan& plan_;
  const std::size_t number_;
  std::vector<Key> keys_;
};

godwit::Result<> run(const Plan& plan, std::chrono::seconds wait_max, const std::string& link) {
  auto opened = godwit::Session::open({.link = link, .workers = kWorkers, .wait_max = wait_max});
  if (!opened.ok()) return opened.error();
  godwit::Session session = std::move(opened).value();
  const auto row_length = static_cast<std::uint32_t>(session.nodes() * kWorkers);
  auto table = session.table(
      {.name = "ticks", .rows = kRows, .row_length = row_length, .consistency = plan.consistency});
  if (!table.ok()) return table.error();
  std::vector<TickWorker> workers;
  for (std::int64_t i = 0; i < kWorkers; ++i) {
    auto worker = session.worker();
    if (!worker.ok()) return worker.error();
    workers.emplace_back(std::move(worker).value(), *table, plan,
                         static_cast<std::size_t>(session.node().value() * kWorkers + i));
  }
  std::puts("working");
  std::fflush(stdout);
  std::vector<std::optional<godwit::Error>> errors(workers.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      threads.emplace_back([&worker = workers[i], &error = errors[i]] {
        if (auto done = worker.run(); !done.ok()) error = std::move(done).error();
      });
    }
  }
  for (auto& error : errors) {
    if (error) return std::move(*error);
  }
  workers.clear();
  if (auto met = session.barrier(); !met.ok()) return met;
  auto reader = session.worker();
  if (!reader.ok()) return reader.error();
  std::vector<float> row(row_length);
  for (Key key = 0; key < kRows; ++key) {
    auto pulled = insist([&] { return reader->pull(*table, {&key, 1}, row); });
    if (!pulled.ok()) return pulled;
    for (const float value : row) {
      if (value == static_cast<float>(plan.ticks)) continue;
      return godwit::Error(godwit::ErrorCode::kCorruption, "a sum is wrong");
    }
  }
  std::puts("sums are right");
  return session.close();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5 && count != 6) {
    std::fprintf(stderr, "usage: tick_job TICKS CONSISTENCY SECONDS PUSHES [LINK]\n");
    return 2;
  }
  const auto consistency = godwit::Consistency::parse(arguments[2]);
  if (!consistency.ok()) {
    std::fprintf(stderr, "tick_job: %s\n", consistency.error().message().c_str());
    return 2;
  }
  const Plan plan{.ticks = std::atoll(arguments[1]),
                  .consistency = *consistency,
                  .pushes = std::atoll(arguments[4]) == 1};
  const auto done =
      run(plan, std::chrono::seconds(std::atoll(arguments[3])), count == 6 ? arguments[5] : "");
  if (done.ok()) return 0;
  std::fprintf(stderr, "tick_job: %s\n", done.error().message().c_str());
  return done.error().code() == godwit::ErrorCode::kUnavailable ? 3 : 1;
}
