// node/node_steps_test.cc: steps through the public API, over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "godwit/steps.h"
#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::Each;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRows = 8;
constexpr std::uint32_t kLength = 4;

TableSpec spec_of(const std::string& name) {
  return {.name = name,
          .rows = kRows,
          .row_length = kLength,
          .rule = Rule::sgd(0.5F),
          .placement = Placement::kStatic};
}

std::vector<Key> all_keys() {
  std::vector<Key> keys(kRows);
  std::iota(keys.begin(), keys.end(), Key{0});
  return keys;
}

// Goes through the steps of a worker: the gradient of sample s is value - s.
Result<std::uint64_t> follow(Worker& worker, const Table& table, const StepOptions& options) {
  const std::vector<Key> keys = all_keys();
  std::vector<float> values(kRows * kLength);
  std::uint64_t computed = 0;
  for (;;) {
    auto step = worker.begin_step();
    if (!step.ok()) return step.error();
    if (!*step) return computed;
    if (auto pulled = worker.pull(table, keys, values); !pulled.ok()) return pulled.error();
    std::vector<float> sums(values.size());
    for (const SampleShare& share : (*step)->shares()) {
      for (std::uint64_t i = 0; i < share.count; ++i) {
        const auto sample = static_cast<float>(sample_at(options, share.first + i));
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += values[j] - sample;
      }
    }
    const StepSums of_table{.table = &table, .keys = keys, .sums = sums};
    const StepOutcome outcome{
        .samples = (*step)->samples(), .loss = 1, .compute = std::chrono::microseconds(10)};
    if (auto ended = worker.end_step(**step, {&of_table, 1}, outcome); !ended.ok()) {
      return ended.error();
    }
    computed += (*step)->samples();
  }
}

TEST(NodeSteps, AllNodesLearnTheMeanOfAllSamples) {
  const StepOptions options{.samples = 101, .batch = 4, .epochs = 3, .pace = "fixed:k=3"};
  run_job(3, "mean", [&](Session& session) {
    const Table table = session.table(spec_of("mean")).value();
    Worker worker = session.worker().value();
    const WorkerId id = worker.id();
    ASSERT_TRUE(session.begin_steps(options, {&id, 1}).ok());
    const auto computed = follow(worker, table, options);
    ASSERT_TRUE(computed.ok()) << computed.error().message();
    ASSERT_TRUE(session.barrier().ok());
    std::vector<float> values(kRows * kLength);
    ASSERT_TRUE(worker.pull(table, all_keys(), values).ok());
    for (const float value : values) EXPECT_NEAR(value, 50, 25);
    if (session.node() == NodeId{0}) {
      const StepReport report = session.take_step_report();
      std::uint64_t samples = 0;
      for (const StepRecord& step : report.steps) samples += step.samples;
      EXPECT_EQ(samples, 303U);
      EXPECT_TRUE(report.alarms.empty());
    }
    ASSERT_TRUE(session.close().ok());
  });
}

TEST(NodeSteps, CanBeStoppedAndBegunAgain) {
  const StepOptions options{.samples = 1'000'000, .batch = 4, .pace = "fixed"};
  run_job(2, "stop", [&](Session& session) {
    const Table table = session.table(spec_of("stop")).value();
    Worker worker = session.worker().value();
    const WorkerId id = worker.id();
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(session.begin_steps(options, {&id, 1}).ok());
      std::jthread stopper;
      if (session.node() == NodeId{0}) {
        stopper = std::jthread([&session] {
          const auto end = Clock::now() + std::chrono::milliseconds(50);
          while (Clock::now() < end) std::this_thread::yield();
          session.stop_steps();
        });
      }
      const auto computed = follow(worker, table, options);
      ASSERT_TRUE(computed.ok()) << computed.error().message();
      EXPECT_LT(*computed, 500'000U);
    }
    ASSERT_TRUE(session.close().ok());
  });
}

TEST(NodeSteps, BadCallsAreRefused) {
  run_job(1, "bad", [&](Session& session) {
    TableSpec moving = spec_of("moving");
    moving.placement = Placement::kIntent;
    const Table wrong = session.table(moving).value();
    const Table table = session.table(spec_of("right")).value();
    Worker worker = session.worker().value();
    const WorkerId id = worker.id();
    EXPECT_FALSE(session.begin_steps({.samples = 0, .batch = 4}, {&id, 1}).ok());
    EXPECT_FALSE(worker.begin_step().ok()) << "no steps were begun";
    ASSERT_TRUE(session.begin_steps({.samples = 100, .batch = 4, .pace = "fixed"}, {&id, 1}).ok());
    EXPECT_FALSE(session.begin_steps({.samples = 100, .batch = 4}, {&id, 1}).ok()) << "twice";
    const Step step = *worker.begin_step().value();
    const std::vector<Key> keys = all_keys();
    std::vector<float> sums(kRows * kLength);
    const auto end = [&](const Table& of, std::uint64_t samples) {
      const StepSums given{.table = &of, .keys = keys, .sums = sums};
      const auto ended = worker.end_step(step, {&given, 1}, {.samples = samples});
      return ended.ok() ? std::string() : ended.error().message();
    };
    EXPECT_THAT(end(wrong, 4), HasSubstr("steps need static and async"));
    EXPECT_THAT(end(table, 3), HasSubstr("3 of the 4 samples"));
    sums[3] = NAN;
    EXPECT_THAT(end(table, 4), HasSubstr("nan"));
    sums[3] = 0;
    EXPECT_EQ(end(table, 4), "");
    EXPECT_THAT(end(table, 4), HasSubstr("is not in step"));
    session.stop_steps();
  });
}

// What a lease has fetched to this node is of an earlier step.
TEST(NodeSteps, APullReadsTheParametersOfItsStepWhateverIsLeased) {
  const StepOptions options{.samples = 64, .batch = 4, .pace = "fixed"};
  run_job(2, "lease", [&](Session& session) {
    const Table table = session.table(spec_of("lease")).value();
    Worker worker = session.worker().value();
    Worker reader = session.worker().value();
    const std::vector<Key> keys = all_keys();
    Lease lease = reader.intend(table, keys, Tick{0}, Tick{1000}, Use::kRead).value();
    if (session.node() == NodeId{1}) reader.open(lease).value();
    ASSERT_TRUE(session.barrier().ok());
    const WorkerId id = worker.id();
    ASSERT_TRUE(session.begin_steps(options, {&id, 1}).ok());
    std::vector<float> values(kRows * kLength);
    const std::vector<float> sums(values.size(), 8);  // a step of 0.5 down for each of 8 samples
    for (std::int64_t number = 1;; ++number) {
      const auto step = worker.begin_step().value();
      if (!step) break;
      ASSERT_TRUE(worker.pull(table, keys, values).ok());
      EXPECT_THAT(values, Each(static_cast<float>(1 - number))) << "in step " << number;
      const StepSums of_table{.table = &table, .keys = keys, .sums = sums};
      ASSERT_TRUE(worker.end_step(*step, {&of_table, 1}, {.samples = step->samples()}).ok());
    }
    if (session.node() == NodeId{1}) reader.close(lease).value();
    ASSERT_TRUE(session.close().ok());
  });
}

// Alone, a node has no thread of its own that could notice.
TEST(NodeSteps, AWorkerThatHangsOnTheSameNodeIsNotWaitedForEither) {
  run_job(1, "hangs", [&](Session& session) {
    const Table table = session.table(spec_of("hangs")).value();
    Worker worker = session.worker().value();
    Worker other = session.worker().value();
    const std::array ids{worker.id(), other.id()};
    ASSERT_TRUE(session.begin_steps({.samples = 1'000'000, .batch = 4, .pace = "fixed"}, ids).ok());
    const std::vector<Key> keys = all_keys();
    const std::vector<float> sums(kRows * kLength, 1);
    const auto do_step = [&](Worker& by) {
      const auto step = by.begin_step();
      ASSERT_TRUE(step.ok()) << step.error().message();
      const StepSums of_table{.table = &table, .keys = keys, .sums = sums};
      ASSERT_TRUE(by.end_step(**step, {&of_table, 1}, {.samples = (*step)->samples()}).ok());
    };
    for (int i = 0; i < 100; ++i) {
      do_step(worker);
      do_step(other);
    }
    ASSERT_TRUE(other.begin_step().ok());
    const auto begun = Clock::now();
    for (int i = 0; i < 10; ++i) do_step(worker);
    EXPECT_LT(Clock::now() - begun, std::chrono::seconds(4)) << "a second is its patience";
    session.stop_steps();
  });
}

// P6: who is busy hears of it between two looks.
TEST(NodeSteps, AWorkerThatIsNotWaitedForHearsOfIt) {
  const StepOptions options{.samples = 4000, .batch = 8, .pace = "fixed:k=1"};
  run_job(2, "over", [&](Session& session) {
    const Table table = session.table(spec_of("over")).value();
    Worker worker = session.worker().value();
    const WorkerId id = worker.id();
    ASSERT_TRUE(session.begin_steps(options, {&id, 1}).ok());
    if (session.node() == NodeId{0}) {
      ASSERT_TRUE(follow(worker, table, options).ok());
    } else {
      std::uint64_t given_up = 0;
      for (;;) {
        const auto step = worker.begin_step();
        ASSERT_TRUE(step.ok()) << step.error().message();
        if (!*step) break;
        const auto patience = Clock::now() + std::chrono::seconds(10);
        while (!(*step)->is_over()) {
          ASSERT_LT(Clock::now(), patience) << "step " << (*step)->number();
          std::this_thread::yield();
        }
        ASSERT_TRUE(worker.give_up_step(**step, {.samples = 1}).ok());
        ++given_up;
      }
      EXPECT_GT(given_up, 10U);
    }
    ASSERT_TRUE(session.close().ok());
  });
}

// What steps alone change is read at home; a table that a worker pushes to is read as ever.
TEST(NodeSteps, AWorkerSeesWhatItPushesToOtherTablesInAStep) {
  const StepOptions options{.samples = 64, .batch = 4, .pace = "fixed"};
  run_job(2, "pushes", [&](Session& session) {
    const Table table = session.table(spec_of("stepped")).value();
    const Table other = session.table(spec_of("pushed")).value();
    Worker worker = session.worker().value();
    Worker writer = session.worker().value();
    const std::vector<Key> keys = all_keys();
    Lease lease = writer.intend(other, keys, Tick{0}, Tick{1000}, Use::kWrite).value();
    if (session.node() == NodeId{1}) {
      writer.open(lease).value();
      ASSERT_TRUE(lease.is_ready());
    }
    ASSERT_TRUE(session.barrier().ok());
    const WorkerId id = worker.id();
    ASSERT_TRUE(session.begin_steps(options, {&id, 1}).ok());
    std::vector<float> before(kRows * kLength);
    std::vector<float> after(before.size());
    const std::vector<float> sums(before.size(), 8);
    for (;;) {
      const auto step = worker.begin_step().value();
      if (!step) break;
      if (session.node() == NodeId{1}) {
        ASSERT_TRUE(worker.pull(other, keys, before).ok());
        ASSERT_TRUE(worker.push(other, keys, sums).ok());
        ASSERT_TRUE(worker.pull(other, keys, after).ok());
        for (float& value : before) value -= 4;
        EXPECT_EQ(after, before);
      }
      const StepSums of_table{.table = &table, .keys = keys, .sums = sums};
      ASSERT_TRUE(worker.end_step(*step, {&of_table, 1}, {.samples = step->samples()}).ok());
    }
    if (session.node() == NodeId{1}) writer.close(lease).value();
    ASSERT_TRUE(session.close().ok());
  });
}

}  // namespace
}  // namespace godwit
