// tests/proc/exchange_job.cc: a node of a job with groups of one rank each.
//
//   exchange_job SERVERS MODE UNTIL_MS PATIENCE_MS
//
// The first SERVERS nodes are table nodes; the others are groups that compute for a moment and
// exchange, by MODE (elastic, outer, async, sync), until the clock of the system says UNTIL_MS.
// Says "working" once it takes part, and in the end "steps N, longest X ms, missed M, live L": the
// longest step after the first, how many did not count, groups that were live in the last one.
// Exit codes: 0, 1 an error, 2 bad input, 3 a node was lost.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "godwit/godwit.h"

namespace {

using Clock = std::chrono::steady_clock;
using godwit::Key;
using std::chrono::milliseconds;

constexpr std::uint64_t kRows = 64;
constexpr std::uint32_t kLength = 256;

struct Settings {
  std::int64_t servers = 0;
  godwit::ExchangeMode mode = godwit::ExchangeMode::kElastic;
  std::int64_t until_ms = 0;
  std::int64_t patience_ms = 0;
};

int say(const godwit::Error& error) {
  std::fprintf(stderr, "exchange_job: %s\n", error.message().c_str());
  return error.code() == godwit::ErrorCode::kUnavailable ? 3 : 1;
}

void say_working() {
  std::printf("working\n");
  std::fflush(stdout);
}

bool is_over(const Settings& settings) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count() >= settings.until_ms;
}

godwit::Rule rule_for(godwit::ExchangeMode mode) {
  switch (mode) {
    case godwit::ExchangeMode::kElastic:
      return godwit::Rule::elastic();
    case godwit::ExchangeMode::kOuter:
      return godwit::Rule::outer(0.5F, 0);
    default:
      return godwit::Rule::sgd(0.1F);
  }
}

// What a step makes of the parameters: pulls them towards 1, as a gradient would.
void compute(const Settings& settings, std::vector<float>& values) {
  std::this_thread::sleep_for(milliseconds(5));  // the time that computing takes
  const bool has_gradients =
      settings.mode == godwit::ExchangeMode::kAsync || settings.mode == godwit::ExchangeMode::kSync;
  for (float& value : values) value = has_gradients ? value - 1 : value - 0.1F * (value - 1);
}

godwit::Result<> train(godwit::Session& session, godwit::Worker& worker, const godwit::Table& table,
                       const Settings& settings, std::uint64_t round) {
  std::vector<Key> keys(kRows);
  std::iota(keys.begin(), keys.end(), Key{0});
  std::vector<float> values(kRows * kLength);
  if (auto pulled = worker.pull(table, keys, values); !pulled) return pulled;
  std::int64_t steps = 0;
  std::int64_t missed = 0;
  std::int64_t live = 0;
  Clock::duration longest{};
  for (; !is_over(settings); ++steps) {
    const Clock::time_point begun = Clock::now();
    compute(settings, values);
    session.report_progress(steps);
    const godwit::ExchangeOptions options{.mode = settings.mode, .round = round, .samples = 1};
    const auto outcome = worker.exchange(table, options, keys, values);
    if (!outcome) return outcome.error();
    round = outcome->next_round;
    live = outcome->live_groups;
    missed += outcome->is_counted ? 0 : 1;
    if (steps > 0) longest = std::max(longest, Clock::now() - begun);
  }
  std::printf("steps %lld, longest %lld ms, missed %lld, live %lld\n",
              static_cast<long long>(steps),
              static_cast<long long>(std::chrono::duration_cast<milliseconds>(longest).count()),
              static_cast<long long>(missed), static_cast<long long>(live));
  for (const float value : values) {
    if (value < 0.5F || value > 1.5F) {
      return godwit::Error(godwit::ErrorCode::kCorruption, "the parameters are not near 1");
    }
  }
  session.leave_group();
  return {};
}

int run_group(godwit::Session& session, const Settings& settings) {
  auto worker = session.worker();
  if (!worker) return say(worker.error());
  const auto table = session.table({.name = "parameters",
                                    .rows = kRows,
                                    .row_length = kLength,
                                    .rule = rule_for(settings.mode),
                                    .init = godwit::Init::constant(0.9F),
                                    .placement = godwit::Placement::kStatic});
  if (!table) return say(table.error());
  const auto view = session.join_group({.group = session.node().value() - settings.servers});
  if (!view) return say(view.error());
  say_working();
  const auto trained = train(session, *worker, *table, settings, view->round);
  if (!trained) return say(trained.error());
  const auto closed = session.close();
  return closed ? 0 : say(closed.error());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto mode = godwit::parse_exchange_mode(argv[2]);
  if (!mode) return 2;
  const Settings settings{.servers = std::atoll(argv[1]),
                          .mode = *mode,
                          .until_ms = std::atoll(argv[3]),
                          .patience_ms = std::atoll(argv[4])};
  const char* const node = std::getenv("GODWIT_NODE");  // NOLINT: one thread so far
  const bool is_server = node != nullptr && std::atoll(node) < settings.servers;
  auto session =
      godwit::Session::open({.workers = is_server ? 0 : 1,
                             .servers = settings.servers,
                             .rejoin_within = std::chrono::seconds(20),
                             .group_patience = {.least = milliseconds(settings.patience_ms)}});
  if (!session) return say(session.error());
  if (!is_server) return run_group(*session, settings);
  say_working();
  const auto closed = session->close();
  return closed ? 0 : say(closed.error());
}
