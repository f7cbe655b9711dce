// sched/sched_daemon_test.cc: a daemon with a made-up back-end: what it is asked, and how it goes
// on after a crash.
#include "sched/sched_daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sched/control.h"

namespace godwit {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

const std::string kCluster = R"(slot_seconds = 10
[[machine]]
name = "n"
count = 2
cpu = 2
)";

std::string job_text(const std::string& name, const std::string& more = "") {
  return "name = \"" + name + R"("
command = ["godwit", "train", "--nodes", "{nodes}", "--run", "{run}", "{resume}"]
samples = 1e6
batch = 64
model_mb = 0.001
sample_ms = 1
workers = 2
workers_max = 2
worker = { cpu = 1 }
server = { cpu = 0 }
utility = { kind = "constant", priority = 10 }
)" + more;
}

class FakeBackend final : public Backend {
 public:
  Result<> start(const LifeOrder& order) override {
    orders.push_back(order);
    if (!broken.empty()) return Error(ErrorCode::kInvalidArgument, broken);
    lives.try_emplace(order.life.name, Sighting{.kind = Sighting::Kind::kRunning});
    return {};
  }
  Result<> stop(const LifeId& life) override {
    lives[life.name] = {.kind = Sighting::Kind::kEnded, .exit_code = kJobInterrupted};
    return {};
  }
  Result<> kill(const LifeId& life, bool /*hard*/) override {
    lives[life.name] = {.kind = Sighting::Kind::kLost};
    return {};
  }
  Result<std::vector<Sighting>> look(const std::vector<LifeId>& wanted) override {
    std::vector<Sighting> seen;
    for (const LifeId& life : wanted) {
      const auto found = lives.find(life.name);
      seen.push_back(found == lives.end() ? Sighting{} : found->second);
    }
    return seen;
  }
  Result<std::vector<char>> machines_up() override { return up; }
  Result<> check(const Job& /*job*/) const override { return {}; }
  Duration look_every() const override { return std::chrono::milliseconds(1); }

  std::vector<LifeOrder> orders;
  std::map<std::string, Sighting> lives;
  std::vector<char> up{1, 1};
  std::string broken;
};

class SchedDaemonTest : public testing::Test {
 protected:
  SchedDaemonTest() : cluster_(parse_cluster_file(kCluster, "c.toml").value()) {
    std::filesystem::remove_all(state_);
    std::filesystem::create_directories(state_);
    boot();
  }
  ~SchedDaemonTest() override {
    daemon_.reset();
    std::filesystem::remove_all(state_);
  }
  void boot() {
    daemon_.reset();
    daemon_ = SchedDaemon::make({state_, "/bin/godwit", "godwit", active_jobs_max_}, cluster_,
                                backend_, disk_, log_, now_)
                  .value();
    desk_.emplace(*daemon_, "secret");
  }
  void turn() {
    now_ += 1000;
    ASSERT_TRUE(daemon_->turn(now_).ok());
  }
  Json ask(Json question) {
    question["token"] = "secret";
    return Json::parse(desk_->answer(question.dump(), now_));
  }
  Json submit(const std::string& text) {
    return ask({{"verb", "submit"}, {"file", text}, {"path", "j.toml"}, {"dir", "/home"}});
  }
  JobPhase phase(std::int64_t id) { return daemon_->book().find(id)->record.phase; }

  const std::string state_ = testing::TempDir() + "sched_daemon_test-" + std::to_string(::getpid());
  const LiveCluster cluster_;
  FakeBackend backend_;
  RealDisk disk_;
  Log log_ = Log::to_callback([](LogLevel, std::string_view) {}, {});
  std::int64_t now_ = 1'000'000;
  std::size_t active_jobs_max_ = kActiveJobsMax;
  std::unique_ptr<SchedDaemon> daemon_;
  std::optional<ControlDesk> desk_;
};

TEST_F(SchedDaemonTest, AJobIsStartedSeenAndDone) {
  EXPECT_EQ(submit(job_text("a"))["id"], 1);
  EXPECT_TRUE(desk_->take_hurry());
  turn();
  ASSERT_EQ(backend_.orders.size(), 1U);
  const LifeOrder& order = backend_.orders[0];
  EXPECT_EQ(order.command[0], "/bin/godwit");
  EXPECT_EQ(order.cwd, "/home");
  EXPECT_EQ(order.command.back(), state_ + "/jobs/1/run") << "nothing to resume";
  turn();
  EXPECT_EQ(phase(1), JobPhase::kRunning);
  const Json listed = ask({{"verb", "list"}});
  EXPECT_EQ(listed["jobs"][0]["phase"], "running");
  EXPECT_EQ(listed["machines"].size(), 2U);
  backend_.lives[order.life.name] = {.kind = Sighting::Kind::kEnded, .exit_code = 0};
  turn();
  EXPECT_EQ(phase(1), JobPhase::kDone);
  EXPECT_THAT(ask({{"verb", "explain"}, {"job", "a"}})["text"], HasSubstr("is done"));
}

TEST_F(SchedDaemonTest, ADecisionIsWrittenBeforeItIsCarriedOutAndCarriedOutAfterACrash) {
  submit(job_text("a"));
  boot();  // before anything was decided
  EXPECT_EQ(phase(1), JobPhase::kWaiting);
  turn();
  EXPECT_EQ(phase(1), JobPhase::kStarting);
  const std::string life = backend_.orders[0].life.name;
  boot();
  EXPECT_EQ(phase(1), JobPhase::kStarting) << "it was written";
  backend_.orders.clear();
  backend_.lives.clear();  // as if it had never been started
  turn();
  ASSERT_EQ(backend_.orders.size(), 1U);
  EXPECT_EQ(backend_.orders[0].life.name, life) << "the same life";
  boot();
  turn();
  EXPECT_EQ(phase(1), JobPhase::kRunning) << "it is adopted";
  EXPECT_EQ(backend_.orders.size(), 1U);
}

TEST_F(SchedDaemonTest, ADrainedMachineIsLeftAndStaysDrained) {
  submit(job_text("a"));
  turn();
  turn();
  const std::string where =
      cluster_.cluster.machines[backend_.orders[0].layout.machines[0].machine].name;
  EXPECT_TRUE(ask({{"verb", "drain"}, {"machine", where}})["ok"]);
  turn();
  EXPECT_EQ(phase(1), JobPhase::kSaving);
  boot();
  turn();
  turn();
  turn();
  EXPECT_EQ(phase(1), JobPhase::kRunning);
  EXPECT_NE(cluster_.cluster.machines[backend_.orders.back().layout.machines[0].machine].name,
            where);
  EXPECT_THAT(ask({{"verb", "drain"}, {"machine", "n3"}})["error"].get<std::string>(),
              HasSubstr("did you mean 'n"));
}

TEST_F(SchedDaemonTest, ABadJobIsRefusedAndTheDaemonGoesOn) {
  EXPECT_THAT(submit("name = 'a'\nsampels = 3\n")["error"].get<std::string>(),
              HasSubstr("j.toml:2: job 'a' has no key 'sampels' (did you mean 'samples'?)"));
  EXPECT_EQ(submit(job_text("a"))["ok"], true);
  EXPECT_THAT(submit(job_text("a"))["error"].get<std::string>(), HasSubstr("not over yet"));
  EXPECT_EQ(desk_->answer("nonsense", now_), desk_->answer("{\"token\":\"guess\"}", now_));
  EXPECT_EQ(ask({{"verb", "dance"}})["ok"], false);
  EXPECT_EQ(ask({{"verb", "cancel"}, {"job", "b"}})["usage"], true);
  turn();
  EXPECT_EQ(backend_.orders.size(), 1U);
}

TEST_F(SchedDaemonTest, TooManyJobsAreNotTaken) {
  active_jobs_max_ = 2;
  boot();
  EXPECT_TRUE(submit(job_text("a"))["ok"]);
  EXPECT_TRUE(submit(job_text("b"))["ok"]);
  const Json refused = submit(job_text("c"));
  EXPECT_THAT(refused["error"].get<std::string>(), HasSubstr("2 jobs are not over yet"));
  EXPECT_FALSE(refused["usage"]) << "later it may be taken";
  EXPECT_TRUE(ask({{"verb", "cancel"}, {"job", "a"}})["ok"]);
  EXPECT_TRUE(submit(job_text("c"))["ok"]);
}

TEST_F(SchedDaemonTest, TheListHasWhoIsNotOverAndTheLastThatEnded) {
  const auto cancel = [&](const std::string& job) {
    now_ += 1000;
    return ask({{"verb", "cancel"}, {"job", job}})["ok"] == true;
  };
  ASSERT_TRUE(submit(job_text("stays"))["ok"]);
  for (std::size_t i = 0; i < kListedOver + 3; ++i) {
    ASSERT_TRUE(submit(job_text("goes"))["ok"]);
    ASSERT_TRUE(cancel("goes"));
  }
  Json listed = ask({{"verb", "list"}});
  EXPECT_EQ(listed["jobs"].size(), kListedOver + 1);
  EXPECT_EQ(listed["jobs"][0]["name"], "stays");
  EXPECT_EQ(listed["jobs"][1]["id"], 5);
  EXPECT_EQ(listed["left_out"], 3);
  ASSERT_TRUE(cancel("stays"));
  listed = ask({{"verb", "list"}});
  EXPECT_EQ(listed["jobs"][0]["name"], "stays") << "it ended last, though it came first";
  EXPECT_EQ(listed["left_out"], 4);
  listed = ask({{"verb", "list"}, {"all", true}});
  EXPECT_EQ(listed["jobs"].size(), kListedOver + 4);
  EXPECT_EQ(listed["left_out"], 0);
}

TEST_F(SchedDaemonTest, WhatCannotBeStartedFails) {
  backend_.broken = "there is no such partition";
  submit(job_text("a"));
  turn();
  turn();
  EXPECT_EQ(phase(1), JobPhase::kFailed);
  EXPECT_THAT(daemon_->book().find(std::int64_t{1})->record.reason, HasSubstr("partition"));
}

TEST_F(SchedDaemonTest, CancelledIsCancelled) {
  submit(job_text("a"));
  turn();
  turn();
  EXPECT_TRUE(ask({{"verb", "cancel"}, {"job", "1"}})["ok"]);
  turn();
  turn();
  EXPECT_EQ(phase(1), JobPhase::kCancelled);
  EXPECT_FALSE(ask({{"verb", "cancel"}, {"job", "1"}})["ok"]);
  EXPECT_TRUE(ask({{"verb", "stop"}})["ok"]);
  EXPECT_TRUE(desk_->is_stop_wanted());
}

}  // namespace
}  // namespace godwit
