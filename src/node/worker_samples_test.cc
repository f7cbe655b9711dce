// node/worker_samples_test.cc: samples that are not right are refused, with the values; rows of a
// draw can be held, changed and given back in any order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "godwit/session.h"
#include "node/job_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Tick kFirst{0};
constexpr Tick kLast{1};

Session alone() {
  return Session::open({.nodes = 1, .rendezvous = "unix:@x", .job = "x", .token = "x"}).value();
}

// The message of a result that must have failed with kInvalidArgument.
template <class T>
std::string refusal(const Result<T>& result) {
  if (result.ok()) return "it was accepted";
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
  return result.error().message();
}

TEST(SampleSpec, BadOnesAreRefused) {
  using Counts = std::vector<double>;
  EXPECT_THAT(refusal(SampleSpec::uniform(SampleLevel::pooled(0))), HasSubstr("used 0 times"));
  EXPECT_THAT(refusal(SampleSpec::log_uniform(SampleLevel::pooled(4, 0))),
              HasSubstr("a pool of 0 keys: there must be 1 to 16777216"));
  EXPECT_THAT(refusal(SampleSpec::uniform(SampleLevel::pooled(4, kSampleRowsMax + 1))),
              HasSubstr("a pool of 16777217 keys"));
  EXPECT_NE(refusal(SampleSpec::weighted(Counts{})), "it was accepted");
  EXPECT_NE(refusal(SampleSpec::weighted(Counts{0, 0})), "it was accepted");
  EXPECT_NE(refusal(SampleSpec::weighted(Counts{1, -1})), "it was accepted");
  EXPECT_NE(refusal(SampleSpec::weighted(Counts{1, std::numeric_limits<double>::infinity()})),
            "it was accepted");
}

TEST(SampleSpec, KnowsItsLevelAndSeed) {
  const SampleSpec spec = SampleSpec::uniform(SampleLevel::pooled(4, 9), 7).value();
  EXPECT_EQ(spec.level(), SampleLevel::pooled(4, 9));
  EXPECT_EQ(spec.seed(), 7U);
}

TEST(WorkerSamples, WhatCannotBePreparedIsRefused) {
  Session session = alone();
  Session other = alone();
  const TableSpec bounded = {.name = "t", .rows = 10, .row_length = 1};
  const Table table = session.table(bounded).value();
  const Table unbounded = session.table({.name = "u", .rows = kUnbounded, .row_length = 1}).value();
  const Table foreign = other.table(bounded).value();
  Worker worker = session.worker().value();
  const SampleSpec uniform = SampleSpec::uniform().value();
  const SampleSpec counts = SampleSpec::weighted(std::vector<double>{1, 2, 3}).value();
  const auto prepare = [&](const Table& from, const SampleSpec& spec, std::size_t count = 5) {
    return refusal(worker.prepare_sample(from, spec, count, kFirst, kLast));
  };
  EXPECT_THAT(prepare(unbounded, uniform), HasSubstr("table 'u' is unbounded"));
  EXPECT_THAT(prepare(unbounded, counts), HasSubstr("table 'u' is unbounded"));
  EXPECT_THAT(prepare(table, counts),
              HasSubstr("3 counts to draw from table 't', which has 10 rows"));
  EXPECT_THAT(prepare(foreign, uniform), HasSubstr("belongs to another session"));
  EXPECT_THAT(prepare(table, uniform, kSampleRowsMax + 1), HasSubstr("a sample of 16777217 rows"));
  EXPECT_THAT(refusal(worker.prepare_sample(table, uniform, 5, Tick{3}, Tick{3})),
              HasSubstr("the last must come after the first"));
}

TEST(WorkerSamples, WhatCannotBeDrawnIsRefusedAndCanBeDrawnLater) {
  Session session = alone();
  const Table table = session.table({.name = "t", .rows = 10, .row_length = 1}).value();
  Worker worker = session.worker().value();
  Worker other = session.worker().value();
  for (const SampleLevel& level :
       {SampleLevel::exact(), SampleLevel::pooled(2, 4), SampleLevel::local()}) {
    const SampleSpec spec = SampleSpec::uniform(level).value();
    const Tick now = worker.tick();
    Sample sample = worker.prepare_sample(table, spec, 5, now, Tick{now.value() + 1}).value();
    EXPECT_THAT(refusal(worker.draw(sample, 6)),
                HasSubstr("6 rows to be drawn, but the sample has 5 left"));
    EXPECT_THAT(refusal(other.draw(sample, 1)), HasSubstr("another worker prepared"));
    EXPECT_EQ(sample.left(), 5U);
    EXPECT_EQ(worker.draw(sample, 5).value().size(), 5U);
    EXPECT_THAT(refusal(worker.draw(sample, 1)), HasSubstr("has 0 left"));
    EXPECT_EQ(worker.draw(sample, 0).value().size(), 0U);
    worker.advance().value();
    EXPECT_THAT(refusal(worker.draw(sample, 0)), HasSubstr("this sample has ended"));
  }
  Sample empty;
  EXPECT_THAT(refusal(worker.draw(empty, 0)), HasSubstr("an empty sample"));
}

TEST(WorkerSamples, RulesThatAreNotAdditiveAreForOneNode) {
  const TableSpec adam = {.name = "t", .rows = 10, .row_length = 1, .rule = Rule::adam(0.1F)};
  const SampleSpec spec = SampleSpec::uniform().value();
  run_job(2, "samples-adam", [&](Session& session) {
    const Table table = session.table(adam).value();
    Worker worker = session.worker().value();
    EXPECT_THAT(refusal(worker.prepare_sample(table, spec, 5, kFirst, kLast)),
                HasSubstr("pull and push"));
    session.close().value();
  });
  Session session = alone();
  const Table table = session.table(adam).value();
  Worker worker = session.worker().value();
  Sample sample = worker.prepare_sample(table, spec, 5, kFirst, kLast).value();
  EXPECT_EQ(worker.draw(sample, 5).value().size(), 5U);
}

// Not even the sample, the spec and the worker are needed to finish with drawn rows.
TEST(WorkerSamples, ADrawOutlivesWhatItWasDrawnFrom) {
  for (const SampleLevel& level :
       {SampleLevel::exact(), SampleLevel::pooled(2, 4), SampleLevel::local()}) {
    Session session = alone();
    const Table table = session.table({.name = "t", .rows = 1, .row_length = 2}).value();
    Draw draw;
    {
      Worker worker = session.worker().value();
      const SampleSpec spec = SampleSpec::uniform(level).value();
      Sample sample = worker.prepare_sample(table, spec, 3, kFirst, kLast).value();
      draw = worker.draw(sample, 3, Access::kRacy).value();
    }
    {
      const LeasedRow row = draw[0];
      const LeasedRow same = draw[1];  // racy: no lock to wait for
      row.value()[0] = 5;
      same.value()[1] = 6;
    }
    EXPECT_EQ(draw.weight(2), 1);
    EXPECT_EQ(draw.resident_mass(), 1);
    EXPECT_THAT(draw.keys(), ElementsAre(0, 0, 0));
    draw = Draw();
    std::vector<float> values(2);
    session.worker().value().pull(table, std::vector<Key>{0}, values).value();
    EXPECT_THAT(values, ElementsAre(5, 6));
  }
}

TEST(WorkerSamplesDeathTest, ARowBehindTheLastIsABug) {
  Session session = alone();
  const Table table = session.table({.name = "t", .rows = 10, .row_length = 2}).value();
  Worker worker = session.worker().value();
  Sample sample =
      worker.prepare_sample(table, SampleSpec::uniform().value(), 3, kFirst, kLast).value();
  const Draw draw = worker.draw(sample, 2).value();
  EXPECT_DEATH((void)draw[2], "keys_.size()");
  EXPECT_DEATH((void)draw.key(2), "keys_.size()");
}

}  // namespace
}  // namespace godwit
