// sched/job_file_test.cc: a cluster and jobs by hand, and mistakes in them.
#include "sched/job_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kHead = R"(slots = 24
slot_seconds = 600
[[machine]]
name = "m"
count = 2
gpu = 4
cpu = 32
)";

const std::string kJob = R"([[job]]
name = "a"
arrival_s = 700
samples = 1e6
batch = 128
model_mb = 100
sample_ms = 3
workers = 2
worker = { gpu = 1, cpu = 4 }
server = { cpu = 2 }
utility = { kind = "deadline", priority = 50, target_s = 3600 }
)";

std::string problem(const std::string& text) {
  const auto parsed = parse_job_file(text, "jobs.toml");
  return parsed.ok() ? "" : parsed.error().message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(JobFile, IsReadWithItsUnits) {
  const Instance instance = parse_job_file(kHead + kJob, "jobs.toml").value();
  EXPECT_EQ(instance.cluster.machine_count(), 2U);
  EXPECT_EQ(instance.cluster.machines[1].name, "m1");
  const Job& job = instance.jobs[0];
  EXPECT_EQ(job.arrival, 2);
  EXPECT_EQ(job.utility.target, 4);  // after 700 s and 3600 s the slots 2 to 6 are over
  EXPECT_NEAR(1 / job.speed.samples(1, true), 3e-3 / 600 + 2 * 100e6 / (128 * 10e9 * 600), 1e-9);
}

TEST(JobFile, MistakesAreNamedWithFileAndLine) {
  EXPECT_THAT(problem(kHead + replaced(kJob, "batch", "bacth")),
              AllOf(HasSubstr("jobs.toml:12"), HasSubstr("did you mean 'batch'")));
  EXPECT_THAT(problem(kHead + replaced(kJob, "samples = 1e6", "samples = -5")),
              AllOf(HasSubstr("jobs.toml:11"), HasSubstr("samples")));
  EXPECT_THAT(problem(kHead + replaced(kJob, "samples = 1e6\n", "")), HasSubstr("needs samples"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "sample_ms = 3", "sample_ms = 3000000")),
              HasSubstr("units"));
  EXPECT_THAT(problem(replaced(kHead, "= 600", "= 600000000") + kJob), HasSubstr("units"));
  EXPECT_THAT(problem(kHead + kJob + kJob), HasSubstr("two jobs 'a'"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "gpu = 1,", "gpu = 9,")), HasSubstr("no machine"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "gpu = 1,", "gpus = 1,")), HasSubstr("'gpu'"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "= 700", "= 99999")), HasSubstr("comes after"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "\"deadline\"", "\"dedline\"")),
              HasSubstr("did you mean 'deadline'"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "workers = 2", "workers = 900")),
              HasSubstr("wants 900 workers"));
  EXPECT_THAT(problem(kHead), HasSubstr("no [[job]]"));
  EXPECT_THAT(problem("slots = "), HasSubstr("jobs.toml:1"));
}

}  // namespace
}  // namespace godwit
