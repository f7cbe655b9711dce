// sched/job_file_test.cc: a cluster and jobs by hand, and mistakes in them.
#include "sched/job_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

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

// Steps of 0.8 / w + 0.1 / p + 0.05 s, as a job between machines may have them.
std::string measured(const char* key) {
  std::string rows;
  for (const auto& [w, p] : {std::pair{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {8, 4}}) {
    rows += fmt::format("[{}, {}, {}], ", w, p, 0.8 / w + 0.1 / p + 0.05);
  }
  return fmt::format("{} = [{}]\n", key, rows);
}

std::string measured_job(const std::string& steps) {
  return replaced(replaced(kJob, "model_mb = 100\n", steps), "sample_ms = 3\n", "");
}

TEST(JobFile, SpeedsAreFittedToMeasuredSteps) {
  const auto speed = [](const std::string& steps, int workers, bool internal) {
    const Instance instance = parse_job_file(kHead + measured_job(steps), "jobs.toml").value();
    return instance.jobs[0].speed.samples(workers, internal) / 600;  // a second
  };
  const std::string steps = measured("measured");
  // One worker a server.
  EXPECT_NEAR(speed(steps, 1, false), 128 / (0.8 + 0.1 + 0.05), 0.1);
  EXPECT_NEAR(speed(steps, 16, false), 128 / (0.9 / 16 + 0.05), 1);
  EXPECT_EQ(speed(steps, 4, true), speed(steps, 4, false)) << "nothing says otherwise";
  const std::string together =
      "measured_internal = [[1, 1, 0.5], [2, 1, 0.25], [2, 2, 0.25], "
      "[4, 2, 0.125], [4, 4, 0.125]]\n";
  EXPECT_NEAR(speed(steps + together, 4, true), 128 / 0.125, 1);
  EXPECT_NEAR(speed(steps + together, 1, false), 128 / 0.95, 0.1);
}

TEST(JobFile, MistakesInMeasuredStepsAreNamed) {
  const auto of = [](const std::string& steps) { return problem(kHead + measured_job(steps)); };
  EXPECT_THAT(of("measured = [[1, 1, 0.9], [2, 2, 0.5], [2, 2, 0.6]]\n"),
              AllOf(HasSubstr("jobs.toml:13"), HasSubstr("2 pairs"), HasSubstr("needs 5")));
  EXPECT_THAT(of("measured = [[1, 1, -0.9]]\n"),
              AllOf(HasSubstr("jobs.toml:13"), HasSubstr("a step of -0.9 s")));
  EXPECT_THAT(of("measured = [[1, 1, 900000]]\n"), HasSubstr("units"));
  EXPECT_THAT(of("measured = [[-1, 1, 0.9]]\n"), HasSubstr("-1 workers or servers"));
  EXPECT_THAT(of("measured = [[1, 1.5, 0.9]]\n"), HasSubstr("1.5 workers or servers"));
  EXPECT_THAT(of("measured = [[1, 0.9]]\n"), HasSubstr("a row of measured"));
  EXPECT_THAT(of("measured = [[1, 1, \"fast\"]]\n"), HasSubstr("[workers, servers, seconds]"));
  EXPECT_THAT(of("measured = 3\n"), HasSubstr("no list of rows"));
  EXPECT_THAT(problem(kHead + kJob + measured("measured")),
              AllOf(HasSubstr("measured and"), HasSubstr("either")));
  EXPECT_THAT(problem(kHead + kJob + measured("measured_internal")),
              HasSubstr("measured_internal, but not measured"));
  EXPECT_THAT(of(measured("mesured")), HasSubstr("did you mean 'measured'"));
}

TEST(JobFile, FactorsOfAThousandAreFoundByWhatTheyComeTo) {
  const std::string large = replaced(kJob, "samples = 1e6", "samples = 1e10");
  EXPECT_EQ(problem(kHead + large), "");  // 2.7 days with 128 workers
  EXPECT_THAT(problem(kHead + replaced(large, "sample_ms = 3", "sample_ms = 3000")),
              AllOf(HasSubstr("jobs.toml:14"), HasSubstr("days even with its 128 workers"),
                    HasSubstr("microseconds")));
  EXPECT_THAT(problem(kHead + replaced(large, "model_mb = 100", "model_mb = 10000000")),
              AllOf(HasSubstr("jobs.toml:13"), HasSubstr("kilobytes")));
  EXPECT_THAT(problem(kHead + replaced(large, "workers = 2", "workers = 2\nelastic = false")), "");
  EXPECT_THAT(problem(kHead + replaced(replaced(large, "1e10", "1e11"), "workers = 2",
                                       "workers = 2\nelastic = false")),
              HasSubstr("even with its 2 workers"));
  EXPECT_THAT(problem(kHead + replaced(kJob, "= 3600", "= 3600000000")),
              AllOf(HasSubstr("target_s"), HasSubstr("units")));
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
  EXPECT_THAT(problem(kHead + replaced(kJob, "workers = 2", "workers = 100\nelastic = false")),
              AllOf(HasSubstr("jobs.toml:8"), HasSubstr("does not hold its 100 workers")));
  EXPECT_THAT(problem(kHead + replaced(kJob, "workers = 2", "workers = 2.5")),
              AllOf(HasSubstr("jobs.toml:15"), HasSubstr("whole number")));
  EXPECT_THAT(problem(replaced(kHead, "count = 2", "count = 1.5") + kJob),
              AllOf(HasSubstr("jobs.toml:5"), HasSubstr("whole number")));
  EXPECT_THAT(problem(kHead + replaced(kJob, "\"deadline\"", "5")), HasSubstr("is no text"));
  EXPECT_THAT(problem(kHead), HasSubstr("no [[job]]"));
  EXPECT_THAT(problem("slots = "), HasSubstr("jobs.toml:1"));
}

}  // namespace
}  // namespace godwit
