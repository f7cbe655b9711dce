// bench/table_tax_test.cc: training on plain arrays does what the tasks do, bit for bit with one
// worker.
#include "bench/table_tax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/time_source.h"
#include "data/data_fixture.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

TaxCase tiny_mf() {
  return {.task = "mf",
          .title = "mf/tiny",
          .data = {"generated:lowrank,rows=300,columns=200,ratings=20000,held_out=10,zipf=1"},
          .settings = {"rank=9"}};
}

TaxCase tiny_kge() {
  return {.task = "kge",
          .title = "kge/tiny",
          .data = {"generated:graph,entities=300,relations=4,blocks=30,triples=3000,held_out=10"},
          .settings = {"rank=6", "batch=64", "negatives=50"},
          .losses_apart = 0.5};
}

// Words by falling frequency.
TaxCase tiny_w2v(const OwnFiles& files) {
  std::string text;
  for (int i = 0; i < 6000; ++i) {
    text += "w" + std::to_string(i * i % 97 % (1 + i % 40)) + (i % 200 == 199 ? "\n" : " ");
  }
  return {.task = "w2v",
          .title = "w2v/tiny",
          .data = {files.write("text.txt", text)},
          .settings = {"rank=12", "min_count=1", "chunk=100"}};
}

// Losses of all segments, with tables and without.
std::pair<std::vector<double>, std::vector<double>> losses_of(TaxCase that) {
  that.workers = 1;
  that.repetitions = 2;
  const TaxedTask both = make_taxed_task(that, {}).value();
  Session session = Session::open({.nodes = 1}).value();
  both.task->open(session, 1).value();
  std::pair<std::vector<double>, std::vector<double>> losses;
  LoopEvents events;
  std::int64_t segment = 0;
  events.on_segment = [&](const SegmentReport& report) {
    losses.first.push_back(report.loss);
    if (segment % both.task->segments() == 0) {
      both.plain->begin_epoch(segment / both.task->segments());
    }
    Sums sums;
    both.plain->train({}, segment++ % both.task->segments(), sums);
    EXPECT_EQ(sums.at("examples"), report.examples);
    losses.second.push_back(sums.at("loss") / sums.at("examples"));
  };
  const std::atomic<bool> stop{false};
  train(session, *both.task, {.judge_every = 0}, {}, RealTime(), stop, events).value();
  session.close().value();
  return losses;
}

TEST(PlainTraining, HasTheBitsOfTheTask) {
  const OwnFiles files;
  for (const TaxCase& that : {tiny_mf(), tiny_kge(), tiny_w2v(files)}) {
    const auto [table, plain] = losses_of(that);
    EXPECT_EQ(table.size(), 3U) << that.title;
    EXPECT_EQ(table, plain) << that.title;
    EXPECT_LT(table.back(), 0.999 * table.front()) << that.title << " learns";
  }
}

TEST(TableTax, ComparesRatesAndLosses) {
  const OwnFiles files;
  for (TaxCase that : {tiny_mf(), tiny_kge(), tiny_w2v(files)}) {
    that.repetitions = 2;
    const BenchResult result = measure_table_tax(that, {}).value();
    EXPECT_EQ(result.case_name, "tax/" + that.title);
    EXPECT_GT(result.value, 0);
    EXPECT_GT(result.limit, 0);
    EXPECT_NEAR(result.ratio, result.value / result.limit, 1e-9);
    EXPECT_THAT(result.note, testing::HasSubstr(that.task == "kge" ? "locked" : "racy"));
    EXPECT_EQ(result.figures.front().first, "tax");
    EXPECT_NEAR(result.figures.front().second, 1 / result.ratio, 1e-9);
  }
}

TEST(TableTax, LossesThatAreApartAreCorruption) {
  TaxCase that = tiny_mf();
  that.repetitions = 1;
  that.losses_apart = -1;  // even the same are too far apart
  EXPECT_EQ(measure_table_tax(that, {}).error().code(), ErrorCode::kCorruption);
}

TEST(TableTax, CasesThatCannotBeRunAreRefused) {
  TaxCase that = tiny_mf();
  that.repetitions = 0;
  EXPECT_FALSE(measure_table_tax(that, {}).ok());
  that = tiny_mf();
  that.task = "lda";
  that.settings.clear();
  EXPECT_THAT(measure_table_tax(that, {}).error().message(), testing::HasSubstr("lda"));
  that = tiny_mf();
  that.settings = {"rnak=3"};
  EXPECT_FALSE(measure_table_tax(that, {}).ok());
  that = tiny_mf();
  that.data = {"wn18rr"};
  EXPECT_EQ(measure_table_tax(that, {}).error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace godwit
