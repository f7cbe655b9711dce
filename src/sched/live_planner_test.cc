// sched/live_planner_test.cc: a policy in real slots: windows move, jobs come, slow down and go.
#include "sched/live_planner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/explain.h"
#include "sched/planner.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using Kind = Sighting::Kind;

const std::string kCluster = R"(slot_seconds = 10
slots = 40
restart_s = 1
[[machine]]
name = "n"
count = 2
cpu = 4
)";

std::string job_text(const std::string& name, double samples, const std::string& more = "",
                     double priority = 10) {
  return fmt::format(R"(name = "{}"
command = ["godwit", "{{nodes}}", "{{run}}", "{{resume}}"]
samples = {}
batch = 64
model_mb = 0.001
sample_ms = 1
workers = 4
workers_max = 4
worker = {{ cpu = 1 }}
server = {{ cpu = 0 }}
utility = {{ kind = "constant", priority = {} }}
{})",
                     name, samples, priority, more);
}

// A book, a planner and a clock.
class Live {
 public:
  explicit Live(const std::string& policy = "godwit")
      : policy_(policy),
        cluster_(parse_cluster_file(kCluster, "c.toml").value()),
        book(cluster_.cluster),
        planner(LivePlanner::make(cluster_, policy).value()) {}

  std::int64_t add(const std::string& text) {
    auto file = parse_live_job(text, "j.toml", cluster_, now).value();
    LiveJob job{.record = {.name = file.model.name}, .model = file.model};
    return book.add(std::move(job), 0);
  }
  void turn() {
    const LivePlan plan = planner.plan(book, up, now);
    refused = plan.refused;
    book.take_wishes(plan.wishes, plan.order, up, 0);
    for (const std::int64_t id : book.present()) {
      const JobRecord& record = book.find(id)->record;
      if (record.phase == JobPhase::kStarting) {
        book.see(id, record.incarnation, {.kind = Kind::kRunning}, 0);
      } else if (record.phase == JobPhase::kSaving) {
        book.see(id, record.incarnation, {.kind = Kind::kEnded, .exit_code = kJobInterrupted}, 0);
      }
    }
  }
  void turns(int slots) {
    for (int i = 0; i < slots; ++i) {
      now += 1;
      turn();
    }
  }
  // Of a daemon only the book survives.
  void restart() { planner = LivePlanner::make(cluster_, policy_).value(); }
  const JobRecord& record(std::int64_t id) const { return book.find(id)->record; }
  std::string explain(std::int64_t id) const {
    const std::vector<std::string> away(2);
    const std::vector<JobEvent> events;
    return explain_job({.job = *book.find(id),
                        .book = book,
                        .planner = planner,
                        .cluster = cluster_,
                        .away = away,
                        .events = events,
                        .now = now});
  }

 private:
  std::string policy_;
  LiveCluster cluster_;

 public:
  JobBook book;
  LivePlanner planner;
  std::vector<char> up{1, 1};
  std::vector<std::int64_t> refused;
  double now = 0.5;
};

TEST(LivePlanner, StartsAJobAtOnceAndKeepsItWhereItIs) {
  Live live;
  const std::int64_t id = live.add(job_text("a", 4e5));
  live.turn();
  EXPECT_EQ(live.record(id).phase, JobPhase::kRunning);
  const JobShares where = live.record(id).placement;
  EXPECT_EQ(workers_of(where), 4);
  live.turns(50);  // more than one window
  EXPECT_EQ(live.record(id).incarnation, 1) << "windows that move are no reason to move a job";
  EXPECT_EQ(live.record(id).placement, where);
}

TEST(LivePlanner, ADrainedMachineLosesItsJobs) {
  Live live;
  const std::int64_t id = live.add(job_text("a", 4e5));
  live.turn();
  const MachineIndex where = live.record(id).placement[0].machine;
  live.up[where] = 0;
  live.turns(2);
  EXPECT_EQ(live.record(id).phase, JobPhase::kRunning);
  EXPECT_EQ(live.record(id).incarnation, 2);
  EXPECT_NE(live.record(id).placement[0].machine, where);
}

TEST(LivePlanner, AFinishedJobMakesRoom) {
  Live live;
  const std::int64_t a = live.add(job_text("a", 4e5));
  const std::int64_t b = live.add(job_text("b", 4e5));
  const std::int64_t c = live.add(job_text("c", 4e5, "elastic = false\n"));
  live.turn();
  EXPECT_EQ(live.record(c).phase, JobPhase::kWaiting);
  live.book.see(a, 1, {.kind = Kind::kEnded, .exit_code = 0}, 0);
  live.turns(2);
  EXPECT_EQ(live.record(c).phase, JobPhase::kRunning);
  EXPECT_EQ(live.record(b).incarnation, 1);
}

TEST(LivePlanner, AJobThatHasJustBegunIsLeftAlone) {
  Live live;
  const std::int64_t a = live.add(job_text("a", 8e5));
  const std::int64_t b = live.add(job_text("b", 8e5));
  live.turn();
  const std::int64_t c = live.add(job_text("c", 4e5, "", 1000));
  live.now += 0.1;
  live.turn();
  EXPECT_EQ(live.record(c).phase, JobPhase::kWaiting);
  live.turns(3);
  EXPECT_EQ(live.record(c).phase, JobPhase::kRunning);
  EXPECT_LE(live.record(a).incarnation + live.record(b).incarnation, 4);
}

TEST(LivePlanner, SpeedIsMeasured) {
  Live live;
  const std::int64_t id = live.add(job_text("a", 4e5));  // 10 slots with 4 workers
  live.turn();
  for (int i = 1; i <= 4; ++i) {
    live.book.set_progress(id, 0.05 * i);  // half as fast
    live.turns(1);
  }
  EXPECT_NEAR(live.planner.speed_factor(id), 0.5, 0.1);
  EXPECT_THAT(live.explain(id), HasSubstr("times as fast as its file says"));
}

// Jobs of before the window have come before its slot 0.
TEST(LivePlanner, PoliciesThatPlanOnArrivalGoOnWithJobsOfBeforeTheWindow) {
  for (const char* policy : {"pdors", "oasis"}) {
    Live live(policy);
    const std::int64_t a = live.add(job_text("a", 4e5));
    live.add(job_text("cheap", 4e5, "", 0.1));  // for prices that others can pay
    live.turn();
    ASSERT_NE(live.planner.schedule_of(a), nullptr) << policy;
    live.turns(2);
    live.book.set_progress(a, 0.5);
    const std::int64_t b = live.add(job_text("b", 4e5));
    live.add(job_text("cheaper", 4e5, "", 0.1));
    live.turn();
    EXPECT_EQ(live.planner.origin(), 2) << "prices have doubled their history";
    ASSERT_NE(live.planner.schedule_of(b), nullptr) << policy;
    ASSERT_NE(live.planner.schedule_of(a), nullptr) << policy;
    EXPECT_LT(live.planner.schedule_of(a)->completion, live.planner.schedule_of(b)->completion)
        << "planned for is what is left";
    live.restart();
    live.turns(1);
    EXPECT_EQ(live.planner.origin(), 3);
    EXPECT_NE(live.planner.schedule_of(a), nullptr) << policy;
  }
}

TEST(LivePlanner, WhoWasTakenOnceIsNotRefusedAfterARestart) {
  Live live("pdors");
  live.add(job_text("a", 1.3e6));  // all slots of a machine
  live.add(job_text("b", 1.3e6));
  const std::int64_t c = live.add(job_text("c", 4e5, "", 0.01));
  live.turn();
  ASSERT_THAT(live.refused, testing::ElementsAre(c)) << "there is no room for it";
  live.restart();
  live.turns(1);
  EXPECT_THAT(live.refused, testing::IsEmpty());
  EXPECT_EQ(live.record(c).phase, JobPhase::kWaiting);
}

TEST(LivePlanner, UnknownPoliciesAreNamed) {
  const LiveCluster cluster = parse_cluster_file(kCluster, "c.toml").value();
  EXPECT_THAT(LivePlanner::make(cluster, "godwt").error().message(),
              HasSubstr("did you mean 'godwit'"));
}

TEST(Explain, AWaitingJobLearnsWhatItLacks) {
  Live live;
  live.add(job_text("a", 4e5));
  live.add(job_text("b", 4e5));
  live.turn();
  const std::int64_t c = live.add(job_text("c", 1e6, "elastic = false\n", 1));
  live.turns(1);
  ASSERT_EQ(live.record(c).phase, JobPhase::kWaiting);
  const std::string text = live.explain(c);
  EXPECT_THAT(text, HasSubstr("it needs 4 workers, each with cpu 1"));
  EXPECT_THAT(text, HasSubstr("n0: free now cpu 0; room for 0 workers"));
  EXPECT_THAT(text, HasSubstr("missing most is cpu: 2 of 2 machines"));
  EXPECT_THAT(text, HasSubstr("with a priority above"));
  EXPECT_THAT(text, HasSubstr("reserved"));
}

TEST(Explain, AJobThatIsTooLongForThePlanIsTold) {
  Live live;
  live.add(job_text("a", 4e5));
  live.add(job_text("b", 4e5));
  live.turn();
  const std::int64_t c = live.add(job_text("c", 4e6, "elastic = false\n"));
  live.turns(1);
  EXPECT_THAT(live.explain(c), HasSubstr("even alone it would take 17 min"));
}

TEST(Explain, ThePriorityThatItNamesIsEnough) {
  for (const double factor : {0.9, 1.1}) {
    Live live;
    const std::int64_t a = live.add(job_text("a", 4e5));
    const std::int64_t b = live.add(job_text("b", 4e5));
    live.turn();
    const std::int64_t c = live.add(job_text("c", 8e5, "", 2));
    live.turns(1);
    ASSERT_EQ(live.record(c).phase, JobPhase::kWaiting);
    const auto priority = priority_to_go_first(c, live.book, live.planner);
    ASSERT_TRUE(priority);
    live.book.cancel(c, 0);
    const std::int64_t d = live.add(job_text("d", 8e5, "", *priority * factor));
    live.turns(3);
    EXPECT_EQ(live.record(d).incarnation > 0, factor > 1)
        << *priority << " " << live.explain(d) << live.explain(a) << live.explain(b);
  }
}

TEST(Explain, ARefusalNamesItsPrice) {
  Live live("pdors");
  live.add(job_text("a", 1.5e6, "", 50));
  live.add(job_text("b", 1.5e6, "", 50));
  live.turn();
  const std::int64_t c = live.add(job_text("c", 4e5, "", 0.001));
  live.turns(1);
  ASSERT_THAT(live.refused, testing::ElementsAre(c));
  EXPECT_THAT(refusal_words(live.book.find(c)->model, live.planner),
              testing::AnyOf(HasSubstr("with a priority above"), HasSubstr("no room")));
}

}  // namespace
}  // namespace godwit
