// core/steps_test.cc: steps on whole state machines: what is added up, in which order, once.
#include "core/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/errors.h"
#include "core/steps_fixture.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

StepOptions with(const std::string& pace, const std::string& late = "drop") {
  return {.samples = 10'000, .batch = 8, .epochs = 1, .seed = 7, .pace = pace, .late = late};
}

// What a plain loop comes to: sums of workers in their order, one step of the rule.
void apply_plainly(std::vector<float>& parameters, const std::vector<std::vector<float>>& sums,
                   std::uint64_t samples) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    float sum = 0;
    for (const auto& one : sums) sum += one[i];
    parameters[i] -= kStepRate * (sum / static_cast<float>(samples));
  }
}

std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  Prng prng(seed);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
  return order;
}

TEST(Steps, OfAllWorkersHaveTheBitsOfAPlainLoopWhateverTheOrder) {
  StepJob job({.nodes = 3, .servers = 2}, with("fixed"), 2);
  job.begin();
  std::vector<float> plain = job.parameters();
  for (std::uint64_t step = 1; step <= 50; ++step) {
    std::vector<std::vector<float>> sums(job.workers());
    for (const std::uint32_t worker : shuffled(job.workers(), step)) {
      const auto order = job.take(worker);
      ASSERT_TRUE(order);
      ASSERT_EQ(order->step, step);
      sums[worker] = toy_sums(job.samples_of(*order), plain);
      job.answer(worker, *order);
      if (step % 3 == 0) job.cores().run();
    }
    job.cores().run();
    apply_plainly(plain, sums, 48);
    ASSERT_EQ(job.parameters(), plain) << "in step " << step;
  }
}

TEST(Steps, OfTheFastestDoNotDependOnWhoOfThemWasFirst) {
  std::vector<std::vector<float>> ends;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    StepJob job({.nodes = 4}, with("fixed:k=3,load=0.5"));
    job.begin();
    for (std::uint64_t step = 1; step <= 20; ++step) {
      for (const std::uint32_t winner : shuffled(3, seed * 100 + step)) {
        job.answer(winner, *job.take(winner));
        job.cores().run();
      }
    }
    ends.push_back(job.parameters());
    const StepReport report = job.report();
    ASSERT_EQ(report.steps.size(), 20U);
    EXPECT_EQ(report.steps.back().k, 3U);
    EXPECT_EQ(report.steps.back().load, 4U);
    EXPECT_EQ(report.steps.back().cancelled, 1U);
    EXPECT_EQ(report.steps.back().assigned, 16U);
  }
  for (const auto& end : ends) EXPECT_EQ(end, ends[0]);
}

TEST(Steps, SamplesOfAllRecordsAreThoseOfAllEpochs) {
  StepOptions options = with("fixed:k=2");
  options.samples = 203;
  options.epochs = 2;
  StepJob job({.nodes = 3, .servers = 1}, options);
  job.begin();
  std::uint64_t samples = 0;
  for (std::uint64_t round = 0; round < 1000; ++round) {
    for (const std::uint32_t worker : shuffled(job.workers(), round)) {
      const auto order = job.take(worker);
      if (!order || order->is_last) continue;
      job.answer(worker, *order);
      job.cores().run();
    }
  }
  for (const StepRecord& record : job.report().steps) samples += record.samples;
  EXPECT_EQ(samples, 406U);
  EXPECT_EQ(job.cores().core(0).steps().leader()->is_joining(), false);
}

TEST(Steps, AResultThatComesTwiceCountsOnce) {
  StepJob job({.nodes = 2}, with("fixed:k=2", "apply:10"));
  job.begin();
  const StepOrder order = *job.take(1);
  job.answer(1, order);
  job.cores().run();
  const auto again = job.result_of(1, order);
  ASSERT_TRUE(job.cores().core(0).steps().on_result(NodeId{1}, again, job.cores().now).ok());
  job.cores().run();
  EXPECT_TRUE(job.report().steps.empty()) << "one result is not two";
  job.answer(0, *job.take(0));
  job.cores().run();
  const StepReport report = job.report();
  ASSERT_EQ(report.steps.size(), 1U);
  EXPECT_EQ(report.steps[0].used, 2U);
  EXPECT_EQ(report.steps[0].late_dropped, 1U);
}

TEST(Steps, SumsThatComeTwiceAreRefused) {
  StepJob job({.nodes = 2}, with("fixed:k=2"));
  job.begin();
  const StepOrder order = *job.take(1);
  job.answer(1, order);
  job.answer(1, order);
  job.cores().run();
  ASSERT_TRUE(job.cores().core(1).failure());
  EXPECT_THAT(job.cores().core(1).failure()->message(), HasSubstr("came twice"));
}

// Who is late counts in the step in which it comes, unless it is too late.
TEST(Steps, LateResultsCountUpToTheirAge) {
  for (const bool is_too_late : {false, true}) {
    StepJob job({.nodes = 2}, with("fixed:k=1", "apply:2"));
    job.begin();
    const StepOrder late = *job.take(1);
    const std::vector<float> late_sums = toy_sums(job.samples_of(late), job.parameters());
    for (int i = 0; i < (is_too_late ? 3 : 2); ++i) {
      job.answer(0, *job.take(0));
      job.cores().run();
    }
    const StepOrder fresh = *job.take(0);
    std::vector<float> plain = job.parameters();
    const std::vector<float> fresh_sums = toy_sums(job.samples_of(fresh), plain);
    static_cast<void>(job.report());
    job.send(1, late, late_sums);
    job.cores().run();
    const StepReport report = job.report();
    if (is_too_late) {
      EXPECT_TRUE(report.steps.empty());
      EXPECT_EQ(job.parameters(), plain);
      continue;
    }
    ASSERT_EQ(report.steps.size(), 1U);
    EXPECT_EQ(report.steps[0].late_applied, 1U);
    apply_plainly(plain, {late_sums}, 8);
    EXPECT_EQ(job.parameters(), plain);
  }
}

TEST(Steps, AWorkerThatIsSilentIsNotWaitedForUntilItIsHeard) {
  StepJob job({.nodes = 3, .liveness = {.expel_after = seconds(1000)}}, with("fixed"));
  job.begin();
  for (int step = 0; step < 40; ++step) {
    for (std::uint32_t worker = 0; worker < 3; ++worker) job.answer(worker, *job.take(worker));
    job.cores().run();
  }
  const StepOrder held = *job.take(2);
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  job.cores().run();
  EXPECT_FALSE(job.take(0)) << "waits for all";
  EXPECT_THAT(job.cores().core(0).steps().describe(job.cores().now + seconds(1)),
              HasSubstr("worker 0 of node 2, silent for 1.0 s"));
  job.cores().pass(milliseconds(1500));
  auto order = job.take(0);
  ASSERT_TRUE(order) << "two are all that are left";
  job.answer(0, *order);
  job.answer(1, *job.take(1));
  job.cores().run();
  EXPECT_FALSE(job.take(2)) << "nothing is given to who is silent";
  job.give_up(2, held);
  job.cores().run();
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  job.cores().run();
  EXPECT_TRUE(job.take(2)) << "it is there again";
  EXPECT_EQ(job.report().steps.back().live, 3U);
}

TEST(Steps, AWorkerThatIsHeardAboutAnEarlierStepIsNotWaitedForWithoutEnd) {
  StepJob job({.nodes = 3, .liveness = {.expel_after = seconds(1000)}}, with("fixed:k=2"));
  job.begin();
  const StepOrder held = *job.take(2);
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  job.cores().run();
  job.give_up(2, held);
  job.answer(0, *job.take(0));
  job.cores().run();
  EXPECT_FALSE(job.take(0)) << "waits for one of the others";
  job.cores().pass(StepRoster::kPatienceFirst + seconds(1));
  EXPECT_TRUE(job.take(0)) << "both have been silent in this step";
}

void go_down(WiredCores& cores, std::int64_t node) {
  for (std::int64_t other = 0; other < cores.nodes(); ++other) {
    if (other == node) continue;
    cores.core(other).on_down(NodeId{node}, unavailable("reset by peer"), cores.now);
  }
}

TEST(Steps, GoOnWithoutANodeThatIsNoServer) {
  StepJob job({.nodes = 3, .servers = 2, .liveness = {.expel_after = seconds(1000)}},
              with("fixed"));
  job.begin();
  const StepOrder lost = *job.take(2);
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  job.cores().run();
  go_down(job.cores(), 2);
  job.cores().pass(seconds(6));
  for (std::int64_t node = 0; node < 2; ++node) {
    EXPECT_FALSE(job.cores().core(node).failure()) << "of node " << node;
  }
  auto order = job.take(0);
  ASSERT_TRUE(order);
  EXPECT_GT(order->step, lost.step);
  const TicketId barrier = job.cores().core(1).waits().reserve();
  job.cores().core(1).enter_barrier(barrier);
  const TicketId other = job.cores().core(0).waits().reserve();
  job.cores().core(0).enter_barrier(other);
  job.cores().run();
  EXPECT_TRUE(job.cores().core(1).waits().is_done(barrier));
  EXPECT_EQ(job.cores().core(1).barriers().absent(), std::vector{NodeId{2}});
}

TEST(Steps, WhoIsLostIsNotSaidToBeSlow) {
  StepJob job({.nodes = 3, .servers = 2, .liveness = {.expel_after = seconds(1000)}},
              with("fixed"));
  job.begin();
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  job.cores().run();
  go_down(job.cores(), 2);
  job.cores().pass(seconds(6));
  for (int step = 0; step < 250; ++step) {
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
      if (const auto order = job.take(worker)) job.answer(worker, *order);
      job.cores().run();
    }
  }
  const StepReport report = job.report();
  ASSERT_GT(report.steps.size(), 200U);
  std::string alarms;
  for (const StepAlarm& alarm : report.alarms) alarms += alarm.text + "\n";
  EXPECT_THAT(alarms, HasSubstr("worker 0 of node 2 is lost"));
  EXPECT_THAT(alarms, Not(HasSubstr("slow")));
}

TEST(Steps, TablesAreOpenedWithoutANodeThatIsLost) {
  StepJob job({.nodes = 3, .servers = 2, .liveness = {.expel_after = seconds(1000)}},
              with("fixed"));
  go_down(job.cores(), 2);
  job.cores().pass(seconds(6));
  const TableSpec spec{.name = "v", .rows = 4, .row_length = 1, .placement = Placement::kStatic};
  const TicketId ticket = job.cores().core(1).waits().reserve();
  job.cores().core(1).open_table(ticket, spec);
  job.cores().run();
  EXPECT_TRUE(job.cores().core(1).waits().is_done(ticket));
}

TEST(Steps, EndWithANodeThatIsAServer) {
  StepJob job({.nodes = 3, .servers = 2, .liveness = {.expel_after = seconds(1000)}},
              with("fixed"));
  job.begin();
  go_down(job.cores(), 1);
  job.cores().pass(seconds(6));
  ASSERT_TRUE(job.cores().core(0).failure());
  EXPECT_THAT(job.cores().core(0).failure()->message(), HasSubstr("node 1 is lost"));
}

TEST(Steps, APullOfAStepThatHasNotBegunThereWaits) {
  StepJob job({.nodes = 2}, with("fixed"));
  job.begin();
  const Key key = job.cores().keys_of(0, job.table(), 1)[0];
  const Pull pull{.request = Waits::wire_number(TicketId{99}, 0),
                  .origin = NodeId{1},
                  .table = job.table(),
                  .in_step = true,
                  .stable = shorten(Tick{2}),
                  .keys = {&key, 1}};
  EXPECT_TRUE(job.cores().core(0).steps().must_wait(pull));
  job.answer(0, *job.take(0));
  job.answer(1, *job.take(1));
  job.cores().run();
  EXPECT_FALSE(job.cores().core(0).steps().must_wait(pull));
}

TEST(Steps, OptionsThatMakeNoSenseAreRefused) {
  const auto why = [](auto&& change) {
    StepOptions options = with("auto");
    change(options);
    const auto checked = check_steps(options);
    return checked.ok() ? std::string() : checked.error().message();
  };
  EXPECT_EQ(why([](StepOptions&) {}), "");
  EXPECT_EQ(why([](StepOptions& o) { o.pace = "fixed:load=0.5,k=6"; }), "");
  EXPECT_EQ(why([](StepOptions& o) { o.late = "apply:0"; }), "");
  EXPECT_THAT(why([](StepOptions& o) { o.pace = "quick"; }), HasSubstr("pace is 'quick'"));
  EXPECT_THAT(why([](StepOptions& o) { o.pace = "fixed:k=0"; }), HasSubstr("fixed:k=0"));
  EXPECT_THAT(why([](StepOptions& o) { o.pace = "fixed:load=1.5"; }), HasSubstr("load"));
  EXPECT_THAT(why([](StepOptions& o) { o.late = "apply:x"; }), HasSubstr("late is 'apply:x'"));
  EXPECT_THAT(why([](StepOptions& o) { o.samples = 0; }), HasSubstr("no samples"));
  EXPECT_THAT(why([](StepOptions& o) { o.batch = 0; }), HasSubstr("batch"));
  EXPECT_THAT(why([](StepOptions& o) { o.epochs = 0; }), HasSubstr("epochs"));
  EXPECT_THAT(why([](StepOptions& o) { o.compute_slack = -1; }), HasSubstr("compute_slack"));
  EXPECT_THAT(why([](StepOptions& o) { o.pace = "fixed:k=1,k=2"; }), HasSubstr("fixed:k=1,k=2"));
  EXPECT_THAT(why([](StepOptions& o) { o.pace = "fixed:load=1,load=0.5"; }), HasSubstr("load=1"));
  EXPECT_THAT(why([](StepOptions& o) {
                o.pace = "fixed:k=2";
                o.compute_slack = 0.1;
              }),
              HasSubstr("does not choose loads"));
}

}  // namespace
}  // namespace godwit
