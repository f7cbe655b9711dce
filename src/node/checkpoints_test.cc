// node/checkpoints_test.cc: what jobs save, other jobs load: bit for bit, with another number of
// nodes, whatever the placement and consistency.
#include "node/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "godwit/checkpoint.h"
#include "godwit/session.h"
#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "godwit-ckpt-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Bits of values and state by key.
using Rows = std::map<Key, std::vector<std::uint32_t>>;

Rows rows_of(const CheckpointReader& reader, const std::string& table) {
  Rows rows;
  const auto read = reader.for_each_row(
      table, [&](Key key, std::span<const float> values, std::span<const float> state) {
        auto& bits = rows[key];
        EXPECT_TRUE(bits.empty()) << "row " << key << " was saved twice";
        for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
        for (const float value : state) bits.push_back(std::bit_cast<std::uint32_t>(value));
      });
  EXPECT_TRUE(read.ok()) << read.error().message();
  return rows;
}

std::vector<TableSpec> all_kinds() {
  return {{.name = "plain", .rows = 300, .row_length = 3, .init = Init::normal(1, 5)},
          {.name = "hashed", .rows = kUnbounded, .row_length = 2, .rule = Rule::sgd(0.1F)},
          {.name = "momentum", .rows = 300, .row_length = 4, .rule = Rule::momentum(0.1F)},
          {.name = "adagrad", .rows = 300, .row_length = 1, .rule = Rule::adagrad(0.1F)},
          {.name = "adam", .rows = kUnbounded, .row_length = 3, .rule = Rule::adam(0.01F)}};
}

Key key_of(const TableSpec& spec, Prng& prng) {
  return spec.rows == kUnbounded ? mix64(1, prng.below(300)) : prng.below(spec.rows);
}

std::vector<Table> open_all(Session& session, const std::vector<TableSpec>& specs) {
  std::vector<Table> tables;
  for (const TableSpec& spec : specs) tables.push_back(session.table(spec).value());
  return tables;
}

void push_at_random(Session& session, const std::vector<Table>& tables, std::uint64_t seed) {
  Worker worker = session.worker().value();
  Prng prng(seed + 100 * static_cast<std::uint64_t>(session.node().value()));
  for (const Table& table : tables) {
    for (int i = 0; i < 60; ++i) {
      const Key key = key_of(table.spec(), prng);
      std::vector<float> gradient(table.spec().row_length);
      for (float& number : gradient) number = static_cast<float>(prng.below(1000)) / 997 - 0.5F;
      worker.push(table, {&key, 1}, gradient).value();
    }
  }
}

TEST(Checkpoints, RowsAndStateAreTheSameBitsOnAnyNumberOfNodes) {
  for (const auto& [from, to] : {std::pair{1, 4}, {4, 1}, {4, 2}, {3, 4}}) {
    SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
    const TempDir dir;
    run_job(from, "ckpt_from", [&](Session& session) {
      const auto tables = open_all(session, all_kinds());
      push_at_random(session, tables, 1);
      session.save(dir.path(), 7, {{{"epoch", "3"}, {"cursor", "ä\n"}}}).value();
      session.close().value();
    });
    const CheckpointReader saved = CheckpointReader::open(dir.path()).value();
    EXPECT_EQ(saved.step(), 7);
    EXPECT_EQ(saved.nodes(), from);
    run_job(to, "ckpt_to", [&](Session& session) {
      const auto tables = open_all(session, all_kinds());
      const CheckpointReader loaded = session.load(dir.path()).value();
      EXPECT_EQ(loaded.notes().entries.at("cursor"), "ä\n");
      session.save(dir.path(), 8).value();
      // What is read is what was saved, and rows that nobody has touched are as ever.
      Worker worker = session.worker().value();
      for (const Table& table : tables) {
        const Rows expected = rows_of(saved, table.spec().name);
        for (const auto& [key, bits] : expected) {
          std::vector<float> row(table.spec().row_length);
          worker.pull(table, {&key, 1}, row).value();
          for (std::size_t i = 0; i < row.size(); ++i) {
            EXPECT_EQ(std::bit_cast<std::uint32_t>(row[i]), bits[i]);
          }
        }
      }
      session.barrier().value();
      push_at_random(session, tables, 2);  // the job goes on
      session.close().value();
    });
    const CheckpointReader again = CheckpointReader::open(dir.path()).value();
    EXPECT_EQ(again.step(), 8);
    for (const TableSpec& spec : all_kinds()) {
      const Rows rows = rows_of(saved, spec.name);
      EXPECT_GT(rows.size(), 30u);
      EXPECT_LT(rows.size(), 300u) << "rows that nobody touched are not there";
      EXPECT_EQ(rows_of(again, spec.name), rows) << spec.name;
    }
  }
}

struct Kind {
  Placement placement;
  const char* consistency;
  Codec codec = Codec::kFp32;
  const char* link = "";  // how slow; rows are on their way for longer then
};

class CheckpointKinds : public testing::TestWithParam<Kind> {};

// Workers add ones through leases and pushes, save between ticks, and go on: a checkpoint holds
// what was done before it, and nothing else. Rows move and are copied all the time.
TEST_P(CheckpointKinds, HoldsEverythingThatWasDoneBefore) {
  constexpr Key kRows = 200;
  constexpr int kSaves = 4;
  const int ticks = *GetParam().link != 0 ? 4 : 15;
  const TempDir dir;
  std::mutex mutex;
  std::map<int, std::vector<float>> expected;  // by save
  std::vector<float> sums(kRows, 0);
  const auto body = [&](Session& session) {
    const Table table =
        session
            .table({.name = "t",
                    .rows = kRows,
                    .row_length = 2,
                    .consistency = Consistency::parse(GetParam().consistency).value(),
                    .placement = GetParam().placement,
                    .codec = GetParam().codec})
            .value();
    Worker worker = session.worker().value();
    Prng prng(static_cast<std::uint64_t>(session.node().value()));
    for (int save = 0; save < kSaves; ++save) {
      for (int i = 0; i < ticks; ++i) {
        std::vector<Key> keys;
        while (keys.size() < 20) {
          const Key key = prng.below(10) < 5 ? prng.below(12) : prng.below(kRows);
          if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
        }
        const Tick next{worker.tick().value() + 1};
        Lease lease = worker.intend(table, keys, worker.tick(), next).value();
        // Far ahead, so that rows are on their way while others save.
        const Key ahead = prng.below(kRows);
        (void)worker.intend(table, {&ahead, 1}, next, Tick{next.value() + 3}).value();
        if (i % 2 == 0) {
          worker.open(lease).value();
          for (std::size_t k = 0; k < keys.size(); ++k) {
            auto row = lease[k];
            row.value()[0] += 1;
            row.value()[1] += 1;
          }
          worker.close(lease).value();
        } else {
          worker.push(table, keys, std::vector<float>(keys.size() * 2, 1)).value();
        }
        worker.advance().value();
        const std::lock_guard lock(mutex);
        for (const Key key : keys) sums[key] += 1;
      }
      session.barrier().value();
      if (session.node() == NodeId{0}) expected[save] = sums;
      session.save(dir.path(), save, {}, {.keep = kSaves}).value();
    }
    session.close().value();
  };
  run_job(
      3, "ckpt_kinds", body, [](std::int64_t) { return 1; }, std::chrono::seconds(30),
      GetParam().link);
  for (const auto& [save, values] : expected) {
    const auto reader = CheckpointReader::open(dir.path() + "/step-0000000" + std::to_string(save));
    ASSERT_TRUE(reader.ok()) << reader.error().message();
    std::vector<float> found(kRows, 0);
    reader
        ->for_each_row("t",
                       [&](Key key, std::span<const float> row, std::span<const float>) {
                         EXPECT_EQ(row[0], row[1]);
                         found[key] += row[0];
                       })
        .value();
    EXPECT_EQ(found, values) << "save " << save;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckpointKinds,
    testing::Values(Kind{Placement::kIntent, "async"}, Kind{Placement::kIntentPlain, "async"},
                    Kind{Placement::kStatic, "async"}, Kind{Placement::kReplicateAll, "async"},
                    Kind{Placement::kRelocateOnly, "async"},
                    Kind{Placement::kReplicateOnly, "async"}, Kind{Placement::kIntent, "ssp:1"},
                    Kind{Placement::kRelocateOnly, "ssp:0"}, Kind{Placement::kIntent, "bsp"},
                    Kind{Placement::kStatic, "bsp"}, Kind{Placement::kIntent, "auto"},
                    Kind{Placement::kIntentPlain, "async", Codec::kBf16},
                    Kind{Placement::kIntentPlain, "async", Codec::kFp32, "2ms"},
                    Kind{Placement::kRelocateOnly, "async", Codec::kFp32, "2ms"},
                    Kind{Placement::kIntent, "async", Codec::kFp32, "2ms"}));

TEST(Checkpoints, ABspTableIsSavedAfterItsWorkersHaveEndedToo) {
  const TempDir dir;
  run_job(3, "ckpt_bsp_end", [&](Session& session) {
    const Table table = session
                            .table({.name = "t",
                                    .rows = 50,
                                    .row_length = 1,
                                    .consistency = Consistency::parse("bsp").value()})
                            .value();
    {
      Worker worker = session.worker().value();
      for (int i = 0; i < 5; ++i) {
        for (Key key = 0; key < 50; ++key) {
          worker.push(table, {&key, 1}, std::vector<float>{1}).value();
        }
        if (i < 4) worker.advance().value();  // the last tick ends with the worker
      }
    }
    session.save(dir.path(), 1).value();
    session.close().value();
  });
  std::size_t rows = 0;
  CheckpointReader::open(dir.path())
      .value()
      .for_each_row("t",
                    [&](Key, std::span<const float> values, std::span<const float>) {
                      ++rows;
                      EXPECT_EQ(values[0], 15);
                    })
      .value();
  EXPECT_EQ(rows, 50u);
}

TEST(Checkpoints, FilesOfAllNodesComeBack) {
  const TempDir dir;
  run_job(3, "ckpt_files", [&](Session& session) {
    const std::string bytes(5000 + 100 * static_cast<std::size_t>(session.node().value()), '\xff');
    session.save(dir.path(), 1, {}, {.files = {{.name = "topics", .bytes = bytes}}}).value();
    session.close().value();
  });
  run_job(2, "ckpt_files_back", [&](Session& session) {
    const CheckpointReader loaded = session.load(dir.path()).value();
    ASSERT_EQ(loaded.files().size(), 3u);
    for (std::int64_t node = 0; node < 3; ++node) {
      EXPECT_EQ(loaded.read_file(NodeId{node}, "topics").value(),
                std::string(5000 + 100 * static_cast<std::size_t>(node), '\xff'));
    }
    EXPECT_EQ(loaded.read_file(NodeId{3}, "topics").error().code(), ErrorCode::kNotFound);
    session.close().value();
  });
}

TEST(Checkpoints, ScratchTablesAreLeftOut) {
  const TempDir dir;
  const TableSpec kept{.name = "kept", .rows = 4, .row_length = 2};
  TableSpec scratch = kept;
  scratch.name = "scratch";
  scratch.scratch = true;
  run_job(2, "ckpt_scratch", [&](Session& session) {
    const Table first = session.table(kept).value();
    const Table second = session.table(scratch).value();
    session.save(dir.path(), 1).value();
    session.close().value();
  });
  run_job(1, "ckpt_scratch_back", [&](Session& session) {
    const Table only = session.table(kept).value();
    EXPECT_TRUE(session.load(dir.path()).ok());
    TableSpec other = scratch;
    const Table second = session.table(scratch).value();
    other.scratch = false;
    EXPECT_THAT(session.table(other).error().message(), HasSubstr("scratch"));
    session.close().value();
  });
}

TEST(Checkpoints, WhatDoesNotFitIsRefusedEverywhereAndTheJobGoesOn) {
  const TempDir dir;
  run_job(2, "ckpt_refused", [&](Session& session) {
    EXPECT_EQ(session.load(dir.path() + "/none").error().code(), ErrorCode::kNotFound);
    const Table table = session.table({.name = "t", .rows = 9, .row_length = 1}).value();
    const bool is_first = session.node() == NodeId{0};
    const auto other_step = session.save(dir.path(), is_first ? 1 : 2);
    EXPECT_EQ(other_step.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(other_step.error().message(), HasSubstr("node 1 saves step 2"));
    const std::string own = dir.path() + "/" + std::to_string(session.node().value());
    EXPECT_EQ(session.save(own, 1).error().code(), ErrorCode::kInvalidArgument);
    session.save(dir.path(), 1).value();
    session.close().value();
  });
  run_job(2, "ckpt_other_spec", [&](Session& session) {
    const Table table = session.table({.name = "t", .rows = 10, .row_length = 1}).value();
    EXPECT_THAT(session.load(dir.path()).error().message(), HasSubstr("rows 9"));
    EXPECT_EQ(session.table({.name = "godwit.x", .rows = 1, .row_length = 1}).error().code(),
              ErrorCode::kInvalidArgument);
    session.close().value();
  });
  run_job(2, "ckpt_touched", [&](Session& session) {
    const Table table = session.table({.name = "t", .rows = 9, .row_length = 1}).value();
    if (session.node() == NodeId{0}) {
      Worker worker = session.worker().value();
      const Key key = 0;
      worker.push(table, {&key, 1}, std::vector<float>{1}).value();
    }
    session.barrier().value();
    EXPECT_THAT(session.load(dir.path()).error().message(), HasSubstr("touched"));
    session.close().value();
  });
}

}  // namespace
}  // namespace godwit
