// train/queries_test.cc: small models saved by hand, then asked.
#include "train/queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "godwit/session.h"
#include "train/ctr_task.h"
#include "train/kge_task.h"
#include "train/lasso_task.h"
#include "train/mf_task.h"
#include "train/model_export.h"
#include "train/task_queries.h"

namespace godwit {
namespace {

using testing::HasSubstr;

struct Rows {
  TableSpec spec;
  std::vector<Key> keys;
  std::vector<float> values;
};

// A run's directory with a checkpoint of these rows.
class SavedRunDir {
 public:
  SavedRunDir(const std::vector<Rows>& tables, std::map<std::string, std::string> notes,
              const RowNames& names) {
    std::string path = testing::TempDir() + "queries_XXXXXX";
    path_ = ::mkdtemp(path.data());
    Session session = Session::open({.nodes = 1}).value();
    Worker worker = session.worker().value();
    for (const Rows& rows : tables) {
      const Table table = session.table(rows.spec).value();
      worker.set(table, rows.keys, rows.values).value();
    }
    session.save(path_ + "/ckpt", 1, {std::move(notes)}).value();
    session.close().value();
    RealDisk disk;
    write_row_names(disk, path_ + "/names", names).value();
  }
  SavedRunDir(const SavedRunDir&) = delete;
  SavedRunDir& operator=(const SavedRunDir&) = delete;
  ~SavedRunDir() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  Result<SavedModel> open() const {
    RealDisk disk;
    return SavedModel::open(disk, path_);
  }
  Result<Answers> ask(Query query) const {
    return godwit::ask(open().value(), query, {.catalog = {}, .name = "/no/such/data"});
  }

 private:
  std::string path_;
};

std::vector<std::string> names_of(const Answers& answers) {
  std::vector<std::string> names;
  for (const RankedAnswer& answer : answers.best) names.push_back(answer.name);
  return names;
}

// Plain products: (a, r, b) scores sum a * r * b.
SavedRunDir make_kge() {
  const TableSpec entities{.name = kKgeEntities, .rows = 4, .row_length = 2};
  const TableSpec relations{.name = kKgeRelations, .rows = 4, .row_length = 2};
  return {{{entities, {0, 1, 2, 3}, {1, 0, 0.9F, 0.1F, 0, 1, -1, 0}},
           {relations, {0, 1, 2, 3}, {1, 1, 0, 1, -1, 1, 0, 1}}},
          {{"task", "kge"}, {"setting.model", "distmult"}, {"setting.rank", "2"}},
          {{kKgeEntities, {"one", "oneish", "two", "minus"}},
           {kKgeRelations, {"is", "has", "is^-1", "has^-1"}}}};
}

TEST(Queries, EntitiesAreSimilarByTheirAngle) {
  const SavedRunDir run = make_kge();
  const Answers answers = run.ask({"similar", {"one"}, 2}).value();
  EXPECT_THAT(names_of(answers), testing::ElementsAre("oneish", "two"));
  EXPECT_NEAR(answers.best[0].score, 0.9 / std::sqrt(0.82), 1e-6);
}

TEST(Queries, HeadsAreFoundThroughTheInverseRelation) {
  const SavedRunDir run = make_kge();
  const Answers tails = run.ask({"predict", {"one", "is", "?"}, 1}).value();
  EXPECT_THAT(names_of(tails), testing::ElementsAre("one"));
  EXPECT_DOUBLE_EQ(tails.best[0].score, 1);
  EXPECT_THAT(tails.notes[0], HasSubstr("/no/such/data"));
  const Answers heads = run.ask({"predict", {"?", "is", "one"}, 1}).value();
  EXPECT_THAT(names_of(heads), testing::ElementsAre("minus"));
  EXPECT_THAT(names_of(run.ask({"predict", {"one", "is^-1", "?"}, 1}).value()),
              testing::ElementsAre("minus"));
  EXPECT_THAT(names_of(run.ask({"predict", {"?", "is^-1", "one"}, 1}).value()),
              testing::ElementsAre("one"));
}

TEST(Queries, WhatIsNotThereIsNamedWithWhatIs) {
  const SavedRunDir run = make_kge();
  const auto message = [&](Query query) {
    const auto failed = run.ask(std::move(query));
    return failed.ok() ? "" : failed.error().message();
  };
  EXPECT_THAT(message({"similar", {"on"}}), HasSubstr("near it: one, oneish"));
  EXPECT_THAT(message({"predict", {"one", "hass", "?"}}),
              HasSubstr("(did you mean 'has'?); there are: is, has"));
  EXPECT_THAT(message({"predict", {"one", "is", "two"}}), HasSubstr("must be '?'"));
  EXPECT_THAT(message({"predict", {"?", "is", "?"}}), HasSubstr("must be '?'"));
  EXPECT_THAT(message({"predict", {"one"}}), HasSubstr("predict HEAD RELATION"));
  EXPECT_THAT(message({"recommend", {"one"}}), HasSubstr("it answers: similar ENTITY"));
}

TEST(Queries, RatingsComeInTheUnitsOfTheData) {
  const TableSpec rows{.name = kMfRows, .rows = 1, .row_length = 4};
  const TableSpec columns{.name = kMfColumns, .rows = 3, .row_length = 4};
  const SavedRunDir run({{rows, {0}, {1, 0.5F, 9, 9}},
                         {columns, {0, 1, 2}, {1, 0.25F, 9, 9, -1, 0, 9, 9, 8, 0, 9, 9}}},
                        {{"task", "mf"},
                         {"setting.rank", "1"},
                         {"model.mean", "3"},
                         {"model.deviation", "2"},
                         {"model.min", "1"},
                         {"model.max", "7"}},
                        {});
  EXPECT_NEAR(run.ask({"predict", {"0", "0"}}).value().best[0].score, 3 + 2 * 1.75, 1e-6);
  EXPECT_NEAR(run.ask({"predict", {"0", "2"}}).value().best[0].score, 7, 1e-6);
  EXPECT_THAT(names_of(run.ask({"recommend", {"0"}, 2}).value()), testing::ElementsAre("2", "0"));
  EXPECT_FALSE(run.ask({"recommend", {"1"}}).ok());
  const VectorTable exported = exported_table(run.open().value(), kMfColumns).value();
  EXPECT_THAT(exported.columns, testing::ElementsAre("f0", "bias"));
  EXPECT_THAT(exported.values, testing::ElementsAre(1, 0.25F, -1, 0, 8, 0));
}

TEST(Queries, AnalogiesGoTheSameWay) {
  const TableSpec words{.name = "input", .rows = 5, .row_length = 3};
  const SavedRunDir run(
      {{words, {0, 1, 2, 3, 4}, {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0.9F, 1, 0, -1}}},
      {{"task", "kge"}}, {{"input", {"man", "king", "woman", "queen", "boy"}}});
  const SavedModel model = run.open().value();
  const Query query{"analogy", {"man", "king", "woman"}, 2};
  EXPECT_THAT(names_of(complete_analogy(model, query, {}).value()),
              testing::ElementsAre("queen", "boy"));
  EXPECT_THAT(names_of(similar_words(model, {"similar", {"woman"}, 1}, {}).value()),
              testing::ElementsAre("queen"));
  EXPECT_FALSE(complete_analogy(model, {"analogy", {"man", "king", "wman"}}, {}).ok());
}

TEST(Queries, ClicksAreLogistic) {
  const TableSpec features{.name = kCtrFeatures, .rows = kUnbounded, .row_length = 1};
  const SavedRunDir run({{features, {kBiasFeature, 5, 9}, {-1, 2, 0.5F}}}, {{"task", "ctr"}}, {});
  const Answers answers = run.ask({"predict", {"5:1.5", "9", "77:1"}}).value();
  EXPECT_NEAR(answers.best[0].score, 1 / (1 + std::exp(-2.5)), 1e-6);
  EXPECT_THAT(answers.notes, testing::ElementsAre(HasSubstr("feature 77")));
  EXPECT_FALSE(run.ask({"predict", {"5:x"}}).ok());
  EXPECT_FALSE(run.ask({"predict", {"five:1"}}).ok());
}

TEST(Queries, ModelsThatAnswerNothingSayWhatToDoInstead) {
  for (const char* task : {"lda", "lasso"}) {
    const TableSpec spec{.name = "t", .rows = 1, .row_length = 1};
    const SavedRunDir run({{spec, {0}, {1}}}, {{"task", task}}, {});
    const auto asked = run.ask({"similar", {"x"}});
    ASSERT_FALSE(asked.ok());
    EXPECT_THAT(asked.error().message(), HasSubstr("`godwit export`"));
    EXPECT_THAT(asked.error().message(), HasSubstr("report.html"));
  }
}

TEST(SavedModel, ConstantsAreKnownByTheirNames) {
  const TableSpec spec{.name = kLassoWeights, .rows = 2, .row_length = 1};
  const SavedRunDir run({{spec, {0, 1}, {2, 3}}},
                        {{"task", "lasso"}, {"model.mean", "4.5"}, {"epoch", "7"}},
                        {{kLassoWeights, {"1000", "intercept"}}});
  const SavedModel model = run.open().value();
  EXPECT_THAT(model.constants(), testing::ElementsAre(testing::Pair("mean", 4.5)));
  EXPECT_EQ(model.constant("mean").value(), 4.5);
  const VectorTable exported = exported_table(model, kLassoWeights).value();
  EXPECT_THAT(exported.columns, testing::ElementsAre("weight"));
  EXPECT_EQ(exported.name_of(0), "1000");
}

TEST(SavedModel, RowsThatNobodyTouchedAreAsTheyBegan) {
  const TableSpec spec{.name = "t", .rows = 9000, .row_length = 3, .init = Init::normal(0.5F, 7)};
  const SavedRunDir run({{spec, {8000}, {1, 2, 3}}}, {{"task", "kge"}}, {});
  const ModelTable table = run.open().value().read("t").value();
  ASSERT_EQ(table.rows(), 9000U);
  EXPECT_THAT(table.row(8000), testing::ElementsAre(1, 2, 3));
  Session session = Session::open({.nodes = 1}).value();
  Worker worker = session.worker().value();
  const Table fresh = session.table(spec).value();
  std::vector<Key> keys(9000);
  std::iota(keys.begin(), keys.end(), Key{0});
  std::vector<float> values(27'000);
  worker.pull(fresh, keys, values).value();
  for (const Key key : {Key{8000}}) std::copy_n(table.row(key).begin(), 3, &values[key * 3]);
  EXPECT_EQ(table.values, values);
}

TEST(SavedModel, NamesThatDoNotFitAreCorruption) {
  const TableSpec spec{.name = "t", .rows = 3, .row_length = 1};
  const SavedRunDir run({{spec, {0}, {1}}}, {{"task", "kge"}}, {{"t", {"a", "b"}}});
  EXPECT_EQ(run.open().value().read("t").error().code(), ErrorCode::kCorruption);
  EXPECT_THAT(run.open().value().read("u").error().message(), HasSubstr("there are: t"));
}

TEST(SavedModel, ARunWithoutACheckpointIsNotFound) {
  RealDisk disk;
  EXPECT_EQ(SavedModel::open(disk, "/no/such/run").error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace godwit
