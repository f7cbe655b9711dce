// sched/trace_test.cc: each kind of trace, and what is wrong with some.
#include "sched/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <span>

#include "base/memory_disk.h"
#include "base/replace_file.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Cluster& cluster() {
  static const Cluster made = parse_machines("4 x p8").value();
  return made;
}

Result<Instance> load(const std::string& text, const TraceOptions& options = {}) {
  MemoryDisk disk;
  replace_file(disk, "trace.csv", text).value();
  replace_file(disk, "placements-cifar10.csv",
               "placement,local_bsz,step_time,sync_time\n1,32,0.04,0\n1,64,0.06,0\n2,32,0.05,0\n"
               "11,32,0.07,0\n11,64,0.09,0\n22,32,0.1,0\n")
      .value();
  return load_trace(disk, "trace.csv", cluster(), options);
}

std::string problem(const std::string& text, const TraceOptions& options = {}) {
  const auto loaded = load(text, options);
  return loaded.ok() ? "" : loaded.error().message();
}

constexpr const char* kTiresias =
    "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n";

std::string tiresias(const char* rows) {
  std::string text = kTiresias;
  text += rows;
  return text;
}

TEST(Trace, DurationsComeOutWithTheWorkersThatAJobHad) {
  const Instance instance =
      load(tiresias("0,2,0,606,vgg19,300,30\n1,8,45,133,vgg11,150,23\n")).value();
  ASSERT_EQ(instance.jobs.size(), 2U);
  EXPECT_NEAR(instance.jobs[0].slots_for(instance.jobs[0].work, 2, true), 10, 1e-9);
  EXPECT_EQ(instance.jobs[1].arrival, 2);
  EXPECT_EQ(instance.jobs[1].workers_max, 16);
  EXPECT_EQ(instance.jobs[0].workers_per_server, 1);
}

TEST(Trace, MuriIsInMilliseconds) {
  const Instance instance =
      load(
          "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
          "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n"
          "0,1,0,5,dqn,128,7200000,1,490,1,1,0,1\n")
          .value();
  EXPECT_NEAR(instance.jobs[0].slots_for(instance.jobs[0].work, 1, true), 2, 1e-9);
}

TEST(Trace, DeadlinesOfElasticFlowAreAbsoluteAndThoseOfChronusAfterSubmission) {
  const Instance elastic =
      load(
          "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,"
          "duration,iteration\n0,900,1,vgg16,4500,256,1,1800,1800,1\n")
          .value();
  EXPECT_EQ(elastic.jobs[0].utility.kind, Utility::Kind::kDeadline);
  EXPECT_EQ(elastic.jobs[0].utility.target, 3);  // slots 1 to 4 are over at 4500 s
  const Instance chronus =
      load(
          "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,"
          "expect_time_list,expect_value_list,best_effort,job_type\n"
          "1,u,1,60,6,vgg16,89,5,179,10,0,strict\n2,u,1,60,6,vgg16,89,5,1,10,1,best\n")
          .value();
  EXPECT_EQ(chronus.jobs[0].utility.target, 1);
  EXPECT_EQ(chronus.jobs[1].utility.kind, Utility::Kind::kConstant);
}

TEST(Trace, PolluxHasSpeedsAsMeasured) {
  const Instance instance =
      load("name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,2,128\n").value();
  const SpeedCurve& speed = instance.jobs[0].speed;
  EXPECT_GT(speed.samples(2, true), speed.samples(2, false));
  EXPECT_NEAR(speed.samples(1, true) / 300, 128 / 0.10, 100);
}

TEST(Trace, GavelCountsSteps) {
  const Instance instance =
      load("job_type,batch_size,total_steps,arrival_s,num_gpu\nResNet-18,128,1000,0.0,2\n").value();
  EXPECT_DOUBLE_EQ(instance.jobs[0].work, 1000 * 256);
}

TEST(Trace, AGavelJobWithoutABatchHasThatOfItsModel) {
  const Instance instance = load(
                                "job_type,batch_size,total_steps,arrival_s,num_gpu\n"
                                "CycleGAN,,3600,0,1\nCycleGAN,2,3600,0,1\n")
                                .value();
  EXPECT_DOUBLE_EQ(instance.jobs[0].work, 3600);
  EXPECT_DOUBLE_EQ(instance.jobs[1].work, 7200);
}

TEST(Trace, TheSameSeedGivesTheSameUtilities) {
  const std::string text = tiresias("0,2,0,606,vgg19,300,30\n");
  const auto priority = [&](std::uint64_t seed) {
    return load(text, {.seed = seed}).value().jobs[0].utility.priority;
  };
  EXPECT_EQ(priority(1), priority(1));
  EXPECT_NE(priority(1), priority(2));
}

TEST(Trace, ADeadlineBeforeItsJobComesOrYearsLaterIsRefused) {
  const auto with_deadline = [](const char* due) {
    return problem(
        std::string("job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,"
                    "real_duration,duration,iteration\n0,900,1,vgg16,") +
        due + ",256,1,1800,1800,1\n");
  };
  EXPECT_EQ(with_deadline("900"), "");
  EXPECT_THAT(with_deadline("899"), AllOf(HasSubstr("trace.csv:2"), HasSubstr("before")));
  EXPECT_THAT(with_deadline("4500000000"),
              AllOf(HasSubstr("trace.csv:2"), HasSubstr("milliseconds")));
}

TEST(Trace, MistakesAreNamedWithFileAndLine) {
  const std::string head = kTiresias;
  EXPECT_THAT(problem(head + "0,2,30,6,vgg19,300,30\n1,2,10,6,vgg19,300,30\n"),
              AllOf(HasSubstr("trace.csv:3"), HasSubstr("sort")));
  EXPECT_THAT(problem(head + "0,2,30,6,vgg19,,30\n"),
              AllOf(HasSubstr("trace.csv:2"), HasSubstr("duration is missing")));
  EXPECT_THAT(problem(head + "0,2,30\n"), AllOf(HasSubstr("trace.csv:2"), HasSubstr("3 cells")));
  EXPECT_THAT(problem(head + "0,-2,30,6,vgg19,300,30\n"), HasSubstr("num_gpu is -2"));
  EXPECT_THAT(problem(head + "0,2,30,6,vgg19,300000000000,30\n"), HasSubstr("milliseconds"));
  EXPECT_THAT(problem("job_id,num_gpus,submit_time,model_name,duration\n0,1,2,a,3\n"),
              AllOf(HasSubstr("trace.csv:1"), HasSubstr("did you mean 'num_gpus'")));
  EXPECT_THAT(problem(head + "7,2,30,6,vgg19,300,30\n8,2,30,6,vgg19,300,30\n7,1,40,6,vgg19,9,3\n"),
              AllOf(HasSubstr("trace.csv:4"), HasSubstr("'7'"), HasSubstr("trace.csv:2")));
  EXPECT_THAT(problem(head + "0,2.5,30,6,vgg19,300,30\n"),
              AllOf(HasSubstr("trace.csv:2"), HasSubstr("whole number")));
  EXPECT_THAT(
      problem(head + "0,1,30,6,vgg19,300,30\n1,64,30,6,vgg19,300,30\n", {.elastic_factor = 1}),
      AllOf(HasSubstr("trace.csv:3"), HasSubstr("does not hold its 64 workers")));
  EXPECT_THAT(problem(head), HasSubstr("no rows"));
  EXPECT_THAT(problem(""), HasSubstr("no rows"));
}

}  // namespace
}  // namespace godwit
