// node/bsp_test.cc: bsp is what one thread would do, bit for bit, wherever rows lie and whoever
// comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "node/bsp_replay.h"
#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

constexpr std::size_t kTicks = 12;

TableSpec spec(const Rule& rule, Placement placement = Placement::kIntent) {
  return {.name = "t",
          .rows = 12,
          .row_length = 3,
          .rule = rule,
          .init = Init::uniform(1, 5),
          .consistency = {.kind = ConsistencyKind::kBsp},
          .placement = placement};
}

std::string said(const Result<>& result) {
  return result.ok() ? "" : result.error().message();
}

// Does one worker's part of a tick; what it reads is added to `reads`.
void do_steps(Worker& worker, const Table& table, const std::vector<BspStep>& steps,
              std::vector<float>& reads) {
  const std::size_t length = table.spec().row_length;
  for (const BspStep& step : steps) {
    switch (step.kind) {
      case BspStep::Kind::kRead: {
        std::vector<float> values(step.keys.size() * length);
        ASSERT_EQ(said(worker.pull(table, step.keys, values)), "");
        reads.insert(reads.end(), values.begin(), values.end());
        break;
      }
      case BspStep::Kind::kPush:
        ASSERT_EQ(said(worker.push(table, step.keys, step.floats)), "");
        break;
      case BspStep::Kind::kAddInPlace: {
        auto lease =
            worker.intend(table, step.keys, worker.tick(), Tick{worker.tick().value() + 1}).value();
        ASSERT_EQ(said(worker.open(lease)), "");
        for (std::size_t i = 0; i < step.keys.size(); ++i) {
          const auto row = lease[i];
          for (std::size_t k = 0; k < length; ++k) row.value()[k] += step.floats[i * length + k];
        }
        break;
      }
      case BspStep::Kind::kSet:
      case BspStep::Kind::kSetAndReset: {
        const bool resets = step.kind == BspStep::Kind::kSetAndReset;
        ASSERT_EQ(said(worker.set(table, step.keys, step.floats,
                                  resets ? OptimizerState::kReset : OptimizerState::kKeep)),
                  "");
      }
    }
  }
}

struct Job {
  std::int64_t nodes = 1;
  std::size_t workers = 1;  // of the job; the first nodes have one more each if need be
  TableSpec spec;
  std::uint64_t seed = 0;

  std::int64_t first_of(std::int64_t node) const {
    return node * static_cast<std::int64_t>(workers) / nodes;
  }
  std::int64_t workers_of(std::int64_t node) const { return first_of(node + 1) - first_of(node); }
};

// One node's part of a job; reads[i] are those of worker i of the job.
void run_node(const Job& job, Session& session, const BspProgram& program,
              std::vector<std::vector<float>>& reads) {
  const Table table = session.table(job.spec).value();
  const std::int64_t node = session.node().value();
  std::vector<Worker> workers;
  for (std::int64_t i = 0; i < job.workers_of(node); ++i) {
    workers.push_back(session.worker().value());
  }
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    threads.emplace_back([&, i, worker = std::move(workers[i])]() mutable {
      const auto number = static_cast<std::size_t>(job.first_of(node)) + i;
      for (std::size_t tick = 0; tick < kTicks; ++tick) {
        do_steps(worker, table, program[tick][number], reads[number]);
        if (tick + 1 == kTicks) break;  // the last one ends with the worker
        ASSERT_EQ(said(worker.advance()), "");
      }
    });
  }
  threads.clear();
  ASSERT_EQ(said(session.barrier()), "");
  BspReplay replay(job.spec);
  replay.run(program);
  Worker reader = session.worker().value();
  std::vector<float> row(job.spec.row_length);
  for (Key key = 0; key < job.spec.rows; ++key) {
    ASSERT_EQ(said(reader.pull(table, {&key, 1}, row)), "");
    EXPECT_EQ(row, replay.value(key)) << "row " << key << " at the end";
  }
  ASSERT_EQ(said(session.barrier()), "");
  ASSERT_EQ(said(session.close()), "");
}

void expect_replay(const Job& job) {
  SCOPED_TRACE(testing::Message() << job.workers << " workers on " << job.nodes << " nodes, "
                                  << to_string(job.spec.placement) << ", "
                                  << to_string(job.spec.rule));
  const BspProgram program = draw_bsp_program(job.seed, kTicks, job.workers, job.spec);
  std::vector<std::vector<float>> reads(job.workers);
  run_job(
      job.nodes, "bsp-" + std::to_string(job.seed),
      [&](Session& session) { run_node(job, session, program, reads); },
      [&](std::int64_t node) { return job.workers_of(node); });
  EXPECT_EQ(reads, BspReplay(job.spec).run(program));
}

TEST(Bsp, IsAReplayForEachNumberOfWorkersUnderEachPlacement) {
  std::uint64_t seed = 1;
  for (std::size_t workers = 1; workers <= 8; ++workers) {
    for (const Placement placement :
         {Placement::kIntent, Placement::kStatic, Placement::kRelocateOnly}) {
      const auto nodes = static_cast<std::int64_t>(std::min<std::size_t>(workers, 3));
      expect_replay({.nodes = nodes,
                     .workers = workers,
                     .spec = spec(Rule::add(), placement),
                     .seed = seed++});
    }
  }
}

TEST(Bsp, IsAReplayOnOneNode) {
  for (std::size_t workers = 1; workers <= 4; ++workers) {
    expect_replay(
        {.nodes = 1, .workers = workers, .spec = spec(Rule::sgd(0.1F)), .seed = 100 + workers});
  }
}

TEST(Bsp, IsAReplayForRulesWithState) {
  for (const Rule& rule : {Rule::adagrad(0.1F), Rule::momentum(0.1F)}) {
    for (const std::int64_t nodes : {1, 3}) {
      expect_replay({.nodes = nodes,
                     .workers = 4,
                     .spec = spec(rule),
                     .seed = 200 + static_cast<std::uint64_t>(nodes)});
    }
  }
}

TEST(Bsp, AnOpenLeaseShowsEachTickAsItIs) {
  run_job(2, "bsp-open", [](Session& session) {
    const Table table = session.table(spec(Rule::add())).value();
    Worker worker = session.worker().value();
    const std::vector<Key> keys{1, 7};
    const std::vector<float> zeros(6);
    ASSERT_EQ(said(worker.set(table, keys, zeros)), "");
    ASSERT_EQ(said(worker.advance()), "");
    auto lease = worker.intend(table, keys, Tick{1}, Tick{20}).value();
    ASSERT_EQ(said(worker.open(lease)), "");
    const auto self = static_cast<std::size_t>(session.node().value());
    for (int tick = 1; tick < 19; ++tick) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const auto row = lease[i];
        ASSERT_EQ(row.value()[1 - self], static_cast<float>(tick - 1));
        ASSERT_EQ(row.value()[self], static_cast<float>(tick - 1));
        row.value()[self] += 1;
      }
      ASSERT_EQ(said(worker.advance()), "");
    }
    ASSERT_EQ(said(worker.close(lease)), "");
    ASSERT_EQ(said(session.close()), "");
  });
}

TEST(Bsp, RowsWhoseRuleIsNotAdditiveAreNotTouchedInPlace) {
  run_job(1, "bsp-momentum", [](Session& session) {
    const Table table = session.table(spec(Rule::momentum(0.1F))).value();
    Worker worker = session.worker().value();
    const Key key = 1;
    auto lease = worker.intend(table, {&key, 1}, Tick{0}, Tick{1}).value();
    EXPECT_THAT(said(worker.open(lease)), HasSubstr("pull and push them"));
  });
}

TEST(Bsp, ABadChangeIsRefusedAtOnce) {
  run_job(1, "bsp-bad", [](Session& session) {
    const Table table = session.table(spec(Rule::add())).value();
    Worker worker = session.worker().value();
    const Key key = 12;
    const std::vector<float> floats(3);
    EXPECT_THAT(said(worker.push(table, {&key, 1}, floats)), HasSubstr("12"));
    EXPECT_EQ(said(worker.advance()), "");
  });
}

}  // namespace
}  // namespace godwit
