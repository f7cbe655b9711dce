// core/node_core_steps_test.cc: steps that cannot go on, and who must hear of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/errors.h"
#include "core/steps_fixture.h"

namespace godwit {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr Liveness kPatient{.expel_after = seconds(1000)};

StepOptions options_of(const std::string& pace) {
  return {.samples = 10'000, .batch = 8, .seed = 7, .pace = pace};
}

// Each node begins with its own workers.
void begin(StepJob& job, const std::vector<std::vector<std::uint32_t>>& workers) {
  for (std::int64_t node = job.cores().nodes() - 1; node >= 0; --node) {
    job.cores().core(node).begin_steps(job.options(), workers[static_cast<std::size_t>(node)],
                                       job.cores().now);
  }
  job.cores().run();
}

std::string failure_of(StepJob& job, std::int64_t node) {
  const auto& failure = job.cores().core(node).failure();
  return failure ? failure->message() : std::string();
}

// Two numbers that are finite, as is each worker's sum of gradients; their sum is not. Node 1 owns
// rows and has no worker that would ask for a step.
TEST(NodeCoreSteps, SumsThatCannotBeAddedUpEndTheJobForAll) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"), 2);
  begin(job, {{0, 1}, {}});
  const Key far = job.cores().keys_of(1, job.table(), 1)[0];
  const TicketId barrier = job.cores().core(1).waits().reserve();
  job.cores().core(1).enter_barrier(barrier);
  std::vector<float> sums(kStepRows * kStepRowLength);
  sums[far * kStepRowLength] = 3e38F;
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    job.send(worker, *job.take(worker), sums);
  }
  job.cores().run();
  EXPECT_THAT(failure_of(job, 1), HasSubstr("what the workers of step 1 have added up"));
  ASSERT_TRUE(job.cores().core(1).waits().is_done(barrier));
  EXPECT_TRUE(job.cores().core(1).waits().take(barrier).error);
  job.cores().core(1).say_bye(job.cores().core(1).waits().reserve());
  job.cores().run();
  EXPECT_THAT(failure_of(job, 0), HasSubstr("node 1 gave up"));
}

TEST(NodeCoreSteps, ANodeThatIsNoServerAndGivesUpIsDoneWithout) {
  StepJob job({.nodes = 4, .servers = 2, .liveness = kPatient}, options_of("fixed"));
  job.begin();
  // One connection of six is broken for good.
  job.cores().core(0).on_down(NodeId{3}, unavailable("reset by peer"), job.cores().now);
  job.cores().core(3).on_down(NodeId{0}, unavailable("reset by peer"), job.cores().now);
  job.cores().pass(seconds(6));
  EXPECT_THAT(failure_of(job, 3), HasSubstr("node 0 is lost"));
  job.cores().core(3).say_bye(job.cores().core(3).waits().reserve());
  job.cores().run();
  for (std::int64_t node = 0; node < 3; ++node) {
    EXPECT_EQ(failure_of(job, node), "") << "node " << node;
    EXPECT_TRUE(job.cores().core(node).members().is_lost(NodeId{3})) << "node " << node;
  }
  const auto before = job.cores().core(0).steps().begun();
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    if (const auto order = job.take(worker)) job.answer(worker, *order);
  }
  job.cores().run();
  EXPECT_GT(job.cores().core(0).steps().begun(), before);
}

TEST(NodeCoreSteps, WithoutAnyWorkerLeftTheJobFails) {
  StepJob job({.nodes = 3, .servers = 2, .liveness = kPatient}, options_of("fixed"));
  begin(job, {{}, {}, {0}});
  job.answer(2, *job.take(2));
  job.cores().run();
  job.cores().kill(2);
  job.cores().pass(seconds(6));
  EXPECT_THAT(
      failure_of(job, 0),
      HasSubstr("no worker is left for step 2: all are lost, 8 of 10000 samples have counted; "
                "node 2 is lost: "));
}

TEST(NodeCoreSteps, OfNoWorkersFail) {
  StepJob job({.nodes = 2}, options_of("fixed"));
  begin(job, {{}, {}});
  EXPECT_THAT(failure_of(job, 0), HasSubstr("no worker is left for step 1: none was named"));
}

TEST(NodeCoreSteps, ThatGoAnotherWayOnAnotherNodeAreRefused) {
  for (const bool is_early : {false, true}) {
    StepJob job({.nodes = 2}, options_of("fixed"));
    StepOptions others = job.options();
    others.samples = 9'999;
    const std::vector<std::uint32_t> workers{0};
    for (const std::int64_t node : {is_early ? 1 : 0, is_early ? 0 : 1}) {
      job.cores().core(node).begin_steps(node == 1 ? others : job.options(), workers,
                                         job.cores().now);
      job.cores().run();
    }
    EXPECT_THAT(failure_of(job, 0), HasSubstr("node 1 begins steps of 9999 samples, batch 8"));
    EXPECT_THAT(failure_of(job, 0), HasSubstr("but node 0 of 10000 samples, batch 8"));
    EXPECT_EQ(job.cores().core(1).steps().begun(), 0U) << "and nothing was begun";
  }
}

TEST(NodeCoreSteps, AWorkerThatMissesTheEndIsToldSo) {
  StepJob job({.nodes = 1}, options_of("fixed"));
  job.begin();
  job.answer(0, *job.take(0));
  NodeCore& core = job.cores().core(0);
  core.stop_steps(job.cores().now);
  job.begin();
  EXPECT_TRUE(core.steps().member().take(WorkerId{0}).ok());
  const auto again = core.steps().member().take(WorkerId{0});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), ErrorCode::kAborted);
  EXPECT_FALSE(core.steps().member().take(WorkerId{7}).ok());
}

// Its place in the earlier steps was still there when it asked.
TEST(NodeCoreSteps, AWorkerThatWaitsAndIsNotNamedAgainIsToldSo) {
  StepJob job({.nodes = 2, .liveness = kPatient}, options_of("fixed"));
  begin(job, {{0}, {0, 1}});
  job.cores().core(0).stop_steps(job.cores().now);
  job.cores().run();
  NodeCore& core = job.cores().core(1);
  EXPECT_TRUE(core.steps().member().take(WorkerId{1}).value().is_last);
  const TicketId ticket = core.waits().reserve();
  core.await_step(ticket, WorkerId{1});
  ASSERT_FALSE(core.waits().is_done(ticket));
  const std::vector<std::uint32_t> workers{0};
  core.begin_steps(job.options(), workers, job.cores().now);
  ASSERT_TRUE(core.waits().is_done(ticket));
  EXPECT_THAT(core.waits().take(ticket).error->message(), HasSubstr("worker 1 was not named"));
}

TEST(NodeCoreSteps, ANodeThatWasLostAndComesBackHasNoPartInThem) {
  StepJob job({.nodes = 4, .servers = 2, .liveness = kPatient, .rejoin_within = seconds(100)},
              options_of("fixed"));
  begin(job, {{}, {}, {0}, {0}});
  job.answer(2, *job.take(2));
  job.cores().kill(3);
  job.cores().pass(seconds(6));
  job.cores().restart(3);
  job.cores().run();
  StepOptions others = job.options();
  others.first_epoch = 3;
  const std::vector<std::uint32_t> workers{0};
  job.cores().core(3).begin_steps(others, workers, job.cores().now);
  job.cores().run();
  for (int run = 0; run < 2; ++run) {
    const auto before = job.cores().core(0).steps().begun();
    job.answer(2, *job.take(2));
    job.cores().run();
    EXPECT_EQ(job.cores().core(0).steps().begun(), before + 1);
    for (std::int64_t node = 0; node < 3; ++node) EXPECT_EQ(failure_of(job, node), "");
    job.cores().core(0).stop_steps(job.cores().now);
    job.cores().run();
    EXPECT_TRUE(job.take(2)->is_last);
    for (const std::int64_t node : {2, 1, 0}) {
      const std::vector<std::uint32_t> own(node == 2 ? 1 : 0, 0);
      job.cores().core(node).begin_steps(job.options(), own, job.cores().now);
    }
    job.cores().run();
  }
}

}  // namespace
}  // namespace godwit
