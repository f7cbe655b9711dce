// sched/live_file_test.cc: the files of a running scheduler, and mistakes in them.
#include "sched/live_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kCluster = R"(slot_seconds = 10
restart_s = 2
[[machine]]
name = "n"
count = 2
cpu = 4
)";
const std::string kJob = R"(name = "ratings"
command = ["godwit", "train", "--nodes", "{nodes}", "--run", "{run}", "{resume}"]
samples = 1e6
batch = 64
model_mb = 10
sample_ms = 0.1
workers = 2
workers_per_server = 2
worker = { cpu = 1 }
server = { cpu = 1 }
utility = { kind = "deadline", priority = 50, target_s = 100 }
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problem(const std::string& job) {
  const LiveCluster cluster = parse_cluster_file(kCluster, "c.toml").value();
  const auto parsed = parse_live_job(job, "j.toml", cluster, 7.5);
  return parsed.ok() ? "" : parsed.error().message();
}

TEST(LiveFile, ClusterAndJobAreReadWithTheirUnits) {
  const LiveCluster cluster = parse_cluster_file(kCluster, "c.toml").value();
  EXPECT_EQ(cluster.cluster.machines[1].name, "n1");
  EXPECT_EQ(cluster.restart, 0.2);
  const LiveJobFile file = parse_live_job(kJob, "j.toml", cluster, 7.5).value();
  EXPECT_EQ(file.model.arrival, 7) << "it may run at once";
  EXPECT_EQ(file.model.worker[0], 1.5) << "a worker and half a server";
  EXPECT_EQ(file.model.server[0], 0);
  EXPECT_EQ(file.model.utility.target, 9) << "slot 16 is over 100 s after slot 7.5 began";
  EXPECT_TRUE(file.has_checkpoints);
  EXPECT_EQ(file.command.size(), 7U);
}

TEST(LiveFile, MistakesAreNamedWithFileAndLine) {
  EXPECT_THAT(problem(replaced(kJob, "samples", "sampels")),
              AllOf(HasSubstr("j.toml:3"), HasSubstr("did you mean 'samples'")));
  EXPECT_THAT(problem(replaced(kJob, "{nodes}", "{node}")),
              AllOf(HasSubstr("j.toml:2"), HasSubstr("did you mean 'nodes'")));
  EXPECT_THAT(problem(replaced(kJob, "\"{run}\", ", "")), HasSubstr("{run}"));
  EXPECT_THAT(problem(replaced(kJob, "= 0.1", "= 1e9")), HasSubstr("units"));
  EXPECT_THAT(problem(replaced(kJob, "cpu = 1 }", "cpu = 9 }")),
              AllOf(HasSubstr("j.toml:1"), HasSubstr("no machine")));
  EXPECT_THAT(problem(replaced(kJob, "\"ratings\"", "\"rat ings\"")), HasSubstr("letters"));
  EXPECT_THAT(problem(replaced(kJob, "\"ratings\"", "\"12\"")), HasSubstr("not a number"));
  EXPECT_THAT(problem(kJob + "arrival_s = 3\n"), HasSubstr("no key 'arrival_s'"));
  EXPECT_THAT(problem(kJob + "checkpoint = 1\n"), HasSubstr("neither true nor false"));
  EXPECT_THAT(problem(replaced(kJob, "workers = 2", "workers = 30\nelastic = false")),
              HasSubstr("does not hold the 30 workers"));
  EXPECT_THAT(problem(replaced(kJob, "[\"godwit\"", "[1, \"godwit\"")), HasSubstr("texts"));
  EXPECT_THAT(problem("name = "), HasSubstr("j.toml:1"));
}

TEST(LiveFile, AClusterNeedsMachinesAndShortRestarts) {
  const auto of = [](const std::string& text) {
    const auto parsed = parse_cluster_file(text, "c.toml");
    return parsed.ok() ? "" : parsed.error().message();
  };
  EXPECT_THAT(of("slot_seconds = 10\n"), HasSubstr("no [[machine]]"));
  EXPECT_THAT(of(replaced(kCluster, "restart_s = 2", "restart_s = 6")),
              AllOf(HasSubstr("c.toml:2"), HasSubstr("half a slot")));
  EXPECT_THAT(of(replaced(kCluster, "count", "cuont")), HasSubstr("cuont"));
  EXPECT_THAT(of("slots_seconds = 3\n"), HasSubstr("did you mean 'slot_seconds'"));
}

}  // namespace
}  // namespace godwit
