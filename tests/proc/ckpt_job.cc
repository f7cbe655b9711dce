// tests/proc/ckpt_job.cc: a node of a job that adds ones to rows of all nodes and saves again and
// again, going on from what it finds.
//
//   ckpt_job DIRECTORY ROUNDS
//
// 0 rounds: until it is killed. Prints "working" after its first save. Each round adds one to each
// row, of as many rows as the round's number tells, once for the job; after a load the rows must be
// what the notes say. Exit codes: 0, 1 wrong sums or another error, 3 a node was lost.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "godwit/godwit.h"

namespace {

constexpr godwit::Key kRows = 20'000;
constexpr std::uint32_t kLength = 8;

godwit::Error wrong(const std::string& what) {
  return {godwit::ErrorCode::kCorruption, what};
}

godwit::Result<long> load(godwit::Session& session, const char* directory) {
  auto loaded = session.load(directory);
  if (!loaded && loaded.error().code() == godwit::ErrorCode::kNotFound) return 0L;
  if (!loaded) return std::move(loaded).error();
  const long round = std::strtol(loaded->notes().entries.at("round").c_str(), nullptr, 10);
  if (round != loaded->step()) return wrong("the notes are of another step");
  // What each node of the job that saved has done in that round.
  for (const godwit::SavedFile& file : loaded->files()) {
    auto bytes = loaded->read_file(file.node, file.name);
    if (!bytes) return std::move(bytes).error();
    if (*bytes != std::to_string(round)) return wrong("a file is of another round");
  }
  std::printf("loaded %ld of %ld nodes\n", round, static_cast<long>(loaded->nodes()));
  return round;
}

godwit::Result<> check(godwit::Worker& worker, const godwit::Table& table, long round) {
  std::vector<godwit::Key> keys(kRows);
  for (godwit::Key key = 0; key < kRows; ++key) keys[key] = key;
  std::vector<float> values(kRows * kLength);
  if (auto pulled = worker.pull(table, keys, values); !pulled) return pulled;
  for (const float value : values) {
    if (value != static_cast<float>(round)) return wrong("a sum is wrong");
  }
  return {};
}

godwit::Result<> work(godwit::Session& session, const godwit::Table& table, const char* directory,
                      long rounds) {
  auto begun = load(session, directory);
  if (!begun) return std::move(begun).error();
  auto worker = session.worker();
  if (!worker) return std::move(worker).error();
  if (auto checked = check(*worker, table, *begun); !checked) return checked;
  if (auto met = session.barrier(); !met) return met;
  std::vector<godwit::Key> keys;
  for (godwit::Key key = 0; key < kRows; ++key) {
    if (static_cast<std::int64_t>(key) % session.nodes() == session.node().value()) {
      keys.push_back(key);
    }
  }
  const std::vector<float> ones(keys.size() * kLength, 1);
  for (long round = *begun + 1; rounds == 0 || round <= *begun + rounds; ++round) {
    if (auto pushed = worker->push(table, keys, ones); !pushed) return pushed;
    const std::string text = std::to_string(round);
    if (auto saved = session.save(directory, round, {{{"round", text}}},
                                  {.keep = 2, .files = {{.name = "own", .bytes = text}}});
        !saved) {
      return saved;
    }
    if (round == *begun + 1) {
      std::puts("working");
      std::fflush(stdout);
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto session = godwit::Session::open();
  if (!session) return 3;
  auto table = session->table({.name = "sums", .rows = kRows, .row_length = kLength});
  if (!table) return 1;
  const auto done = work(*session, *table, argv[1], std::strtol(argv[2], nullptr, 10));
  const auto closed = session->close();
  if (done && closed) {
    std::puts("sums are right");
    return 0;
  }
  const godwit::Error& error = done ? closed.error() : done.error();
  std::fprintf(stderr, "ckpt_job: %s\n", error.message().c_str());
  return error.code() == godwit::ErrorCode::kUnavailable ? 3 : 1;
}
