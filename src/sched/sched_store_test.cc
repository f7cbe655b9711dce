// sched/sched_store_test.cc: what was written is there when it is opened again.
#include "sched/sched_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace godwit {
namespace {

using testing::HasSubstr;

class SchedStoreTest : public testing::Test {
 protected:
  SchedStoreTest() {
    cluster_.resources = {"cpu"};
    cluster_.machines = {{"n1", {4}}, {"n2", {4}}};
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~SchedStoreTest() override { std::filesystem::remove_all(dir_); }
  SchedStore open(std::int64_t now_ms = 1000) {
    return SchedStore::open(dir_ + "/s.sqlite", cluster_, now_ms).value();
  }

  const std::string dir_ = testing::TempDir() + "sched_store_test-" + std::to_string(::getpid());
  Cluster cluster_;
};

JobRecord a_record() {
  return {.id = 3,
          .name = "a",
          .file = "name = 'a'\n",
          .path = "a.toml",
          .dir = "/home",
          .submitted_ms = 5,
          .phase = JobPhase::kRunning,
          .since_ms = 7,
          .reason = "it's so",
          .incarnation = 2,
          .placement = {{0, 2, 0}, {1, 1, 0}},
          .has_checkpoints = false,
          .done = 0.125,
          .done_before = 0.1,
          .losses = 1};
}

TEST_F(SchedStoreTest, RecordsComeBackAsTheyWere) {
  std::string name;
  {
    SchedStore store = open();
    name = store.name();
    ASSERT_TRUE(store.write({a_record()}, 10).ok());
    ASSERT_TRUE(store.set_drained("n2", true).ok());
  }
  SchedStore store = open(2000);
  EXPECT_EQ(store.begin_ms(), 1000) << "of its first day";
  EXPECT_EQ(store.name(), name);
  EXPECT_THAT(store.jobs().value(), testing::ElementsAre(a_record()));
  EXPECT_THAT(store.drained().value(), testing::ElementsAre("n2"));
  ASSERT_TRUE(store.set_drained("n2", false).ok());
  EXPECT_TRUE(store.drained().value().empty());
}

TEST_F(SchedStoreTest, EachPhaseIsALineOfHistory) {
  SchedStore store = open();
  JobRecord record = a_record();
  ASSERT_TRUE(store.write({record}, 10).ok());
  record.done = 0.5;
  ASSERT_TRUE(store.write({record}, 20).ok());
  record.phase = JobPhase::kDone;
  ASSERT_TRUE(store.write({record}, 30).ok());
  const auto events = store.events(3).value();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].text, "running, life 2, on n1:2,n2:1: it's so");
  EXPECT_EQ(events[1].at_ms, 30);
}

TEST_F(SchedStoreTest, AMachineThatIsGoneIsNamed) {
  {
    SchedStore store = open();
    ASSERT_TRUE(store.write({a_record()}, 10).ok());
  }
  cluster_.machines.pop_back();
  EXPECT_THAT(open().jobs().error().message(), HasSubstr("job 3: 'n2:1'"));
}

TEST_F(SchedStoreTest, AnotherFileIsNotTouched) {
  std::ofstream(dir_ + "/s.sqlite") << "my diary, which is long enough to be taken for a header";
  const auto store = SchedStore::open(dir_ + "/s.sqlite", cluster_, 0);
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code(), ErrorCode::kCorruption);
}

TEST_F(SchedStoreTest, WhoHoldsItForAMomentIsWaitedFor) {
  SchedStore store = open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open((dir_ + "/s.sqlite").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  {
    const std::jthread ends([other] {
      usleep(200'000);
      sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr);
    });
    EXPECT_TRUE(store.write({a_record()}, 10).ok());
  }
  sqlite3_close(other);
}

TEST(PlacementText, GoesThereAndBack) {
  Cluster cluster;
  cluster.machines = {{"a:b", {}}, {"c", {}}};
  const JobShares placement{{0, 12, 0}, {1, 3, 0}};
  EXPECT_EQ(parse_placement(placement_text(placement, cluster), cluster).value(), placement);
  EXPECT_TRUE(parse_placement("", cluster).value().empty());
  EXPECT_FALSE(parse_placement("c", cluster).ok());
}

}  // namespace
}  // namespace godwit
