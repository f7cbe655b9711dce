// sched/job_life_test.cc: each transition of a job's life, and what is never one.
#include "sched/job_life.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>

namespace godwit {
namespace {

using Kind = Sighting::Kind;

const JobShares kHere{{0, 2, 0}};
const JobShares kThere{{1, 2, 0}};

JobRecord running() {
  JobRecord record;
  on_wish(record, kHere, 10);
  on_sighting(record, 1, {.kind = Kind::kRunning}, 20);
  return record;
}

JobRecord after(JobRecord record, const Sighting& seen) {
  on_sighting(record, record.incarnation, seen, 30);
  return record;
}

TEST(JobLife, AWaitingJobIsStartedWhereThePolicyWantsIt) {
  JobRecord record;
  EXPECT_FALSE(on_wish(record, {}, 5));
  EXPECT_TRUE(on_wish(record, kHere, 10));
  EXPECT_EQ(record.phase, JobPhase::kStarting);
  EXPECT_EQ(record.incarnation, 1);
  EXPECT_EQ(record.since_ms, 10);
  EXPECT_EQ(order_of(record), Order::kStart);
  EXPECT_FALSE(on_wish(record, kHere, 11));
}

TEST(JobLife, EndsByItsExitCode) {
  EXPECT_EQ(after(running(), {.kind = Kind::kEnded, .exit_code = 0}).phase, JobPhase::kDone);
  EXPECT_EQ(after(running(), {.kind = Kind::kEnded, .exit_code = 1}).phase, JobPhase::kFailed);
  EXPECT_EQ(after(running(), {.kind = Kind::kEnded, .exit_code = kJobLostNodes}).phase,
            JobPhase::kWaiting);
  EXPECT_EQ(after(running(), {.kind = Kind::kLost}).phase, JobPhase::kWaiting);
  // Slurm's words for a task that was killed.
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, 64}) {
    const JobRecord record = after(running(), {.kind = Kind::kEnded, .exit_code = 128 + signal});
    EXPECT_EQ(record.phase, JobPhase::kWaiting) << signal;
    EXPECT_EQ(record.losses, 1) << "and not for ever";
  }
  for (const int code : {2, 127, 128, 193, 255}) {
    EXPECT_EQ(after(running(), {.kind = Kind::kEnded, .exit_code = code}).phase, JobPhase::kFailed)
        << code;
  }
  JobRecord quick;
  on_wish(quick, kHere, 10);
  EXPECT_EQ(after(quick, {.kind = Kind::kEnded, .exit_code = 0}).phase, JobPhase::kDone);
}

TEST(JobLife, AnotherPlaceIsReachedByWayOfACheckpoint) {
  JobRecord record = running();
  EXPECT_TRUE(on_wish(record, kThere, 40));
  EXPECT_EQ(record.phase, JobPhase::kSaving);
  EXPECT_EQ(order_of(record), Order::kStop);
  EXPECT_EQ(record.placement, kHere) << "it is still there";
  EXPECT_FALSE(on_wish(record, kHere, 41)) << "no way back";
  record = after(record, {.kind = Kind::kEnded, .exit_code = kJobInterrupted});
  EXPECT_EQ(record.phase, JobPhase::kWaiting);
  EXPECT_TRUE(record.placement.empty());
  EXPECT_TRUE(on_wish(record, kThere, 50));
  EXPECT_EQ(record.incarnation, 2);
}

TEST(JobLife, AJobThatFinishesWhileItShallSaveIsDone) {
  JobRecord record = running();
  on_wish(record, {}, 40);
  EXPECT_EQ(after(record, {.kind = Kind::kEnded, .exit_code = 0}).phase, JobPhase::kDone);
}

TEST(JobLife, WithoutCheckpointsItStaysWhereItIs) {
  JobRecord record = running();
  record.has_checkpoints = false;
  EXPECT_FALSE(on_wish(record, kThere, 40));
  EXPECT_FALSE(on_wish(record, {}, 40));
  EXPECT_EQ(record.phase, JobPhase::kRunning);
}

TEST(JobLife, NewsOfAnEarlierLifeAreNone) {
  JobRecord record = running();
  EXPECT_FALSE(on_sighting(record, 0, {.kind = Kind::kLost}, 50));
  on_sighting(record, 1, {.kind = Kind::kLost}, 50);
  on_wish(record, kHere, 60);
  EXPECT_FALSE(on_sighting(record, 1, {.kind = Kind::kEnded, .exit_code = 0}, 70));
  EXPECT_EQ(record.phase, JobPhase::kStarting);
}

TEST(JobLife, IsGivenUpAfterLossesWithoutProgress) {
  JobRecord record = running();
  for (int life = 1; life < kLossesMax; ++life) {
    record = after(record, {.kind = Kind::kLost});
    ASSERT_EQ(record.phase, JobPhase::kWaiting);
    on_wish(record, kHere, 60);
  }
  JobRecord other = record;
  EXPECT_EQ(after(record, {.kind = Kind::kLost}).phase, JobPhase::kFailed);
  on_progress(other, 0.3);
  EXPECT_EQ(after(other, {.kind = Kind::kLost}).phase, JobPhase::kWaiting) << "it got further";
}

TEST(JobLife, ALifeThatDoesNotBeginIsStoppedBeforeTheNext) {
  JobRecord record;
  on_wish(record, kHere, 10);
  EXPECT_FALSE(on_sighting(record, 1, {.kind = Kind::kAbsent}, 20));
  EXPECT_FALSE(on_sighting(record, 1, {.kind = Kind::kQueued}, 20 + kStartPatienceMs));
  EXPECT_TRUE(on_sighting(record, 1, {.kind = Kind::kAbsent}, 20 + kStartPatienceMs));
  EXPECT_EQ(record.phase, JobPhase::kSaving);
  EXPECT_EQ(order_of(record), Order::kStop);
  record.losses = kLossesMax;
  EXPECT_EQ(after(record, {.kind = Kind::kEnded, .exit_code = kJobInterrupted}).phase,
            JobPhase::kFailed)
      << "not for ever";
}

TEST(JobLife, ALifeThatIsQueuedForLongIsTakenBackWithoutALoss) {
  JobRecord record;
  on_wish(record, kHere, 10);
  EXPECT_FALSE(on_sighting(record, 1, {.kind = Kind::kQueued}, 9 + kQueuePatienceMs));
  EXPECT_TRUE(on_sighting(record, 1, {.kind = Kind::kQueued}, 10 + kQueuePatienceMs));
  EXPECT_EQ(record.phase, JobPhase::kSaving);
  EXPECT_EQ(order_of(record), Order::kStop);
  EXPECT_FALSE(on_sighting(record, 1, {.kind = Kind::kQueued}, 20 + 2 * kQueuePatienceMs))
      << "said once";
  record = after(record, {.kind = Kind::kEnded, .exit_code = kJobInterrupted});
  EXPECT_EQ(record.phase, JobPhase::kWaiting);
  EXPECT_EQ(record.losses, 0);
  JobRecord runs = running();
  EXPECT_FALSE(on_sighting(runs, 1, {.kind = Kind::kQueued}, 20 + 2 * kQueuePatienceMs));
}

TEST(JobLife, CancellingEndsWhateverThereIs) {
  JobRecord waits;
  EXPECT_TRUE(on_cancel(waits, 10));
  EXPECT_EQ(waits.phase, JobPhase::kCancelled);
  EXPECT_FALSE(on_cancel(waits, 11));
  JobRecord runs = running();
  EXPECT_TRUE(on_cancel(runs, 40));
  EXPECT_EQ(order_of(runs), Order::kKill);
  EXPECT_EQ(after(runs, {.kind = Kind::kLost}).phase, JobPhase::kCancelled);
}

TEST(JobLife, ProgressIsWhatTheJobSays) {
  JobRecord record = running();
  EXPECT_TRUE(on_progress(record, 0.4));
  EXPECT_FALSE(on_progress(record, 0.4));
  EXPECT_TRUE(on_progress(record, 0.2)) << "from an earlier checkpoint";
  for (const double nothing :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(on_progress(record, nothing));
    EXPECT_EQ(record.done, 0.2) << "it is not written down";
  }
  EXPECT_TRUE(on_progress(record, 7));
  EXPECT_EQ(record.done, 1);
}

TEST(JobPhase, IsWrittenAndReadBack) {
  for (int phase = 0; phase <= static_cast<int>(JobPhase::kRefused); ++phase) {
    const auto one = static_cast<JobPhase>(phase);
    EXPECT_EQ(parse_job_phase(to_string(one)), one);
  }
  EXPECT_FALSE(parse_job_phase("sleeping"));
}

}  // namespace
}  // namespace godwit
