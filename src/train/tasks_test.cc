// train/tasks_test.cc: each task learns from generated data, alone and on several nodes, whatever
// the consistency.
#include "train/tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/prng.h"
#include "node/job_fixture.h"
#include "train/common_settings.h"
#include "train/training_loop.h"
#include "train/w2v_task.h"

namespace godwit {
namespace {

using testing::HasSubstr;

using MakeTask = std::function<std::unique_ptr<Task>(const std::string& consistency)>;

std::unique_ptr<Task> make(const std::string& name, const std::string& data,
                           std::vector<std::string> assignments) {
  const TaskKind& kind = **find_task_kind(name);
  Settings settings = settings_of(kind);
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  check_common_settings(settings).value();
  const DataSource source = find_data({}, data).value();
  return kind.make(settings, {}, source).value();
}

// The last test figures, as each node of a job has them.
std::vector<Figures> train_in_job(std::int64_t nodes, std::int64_t workers,
                                  const std::string& consistency, const MakeTask& make_task) {
  std::vector<Figures> figures;
  std::mutex mutex;
  run_job(
      nodes, "tasks",
      [&](Session& session) {
        const auto task = make_task(consistency);
        ASSERT_TRUE(task->open(session, workers).ok());
        const std::atomic<bool> stop{false};
        const auto result =
            train(session, *task, {.workers = workers, .judge_every = 0}, {}, RealTime(), stop, {});
        ASSERT_TRUE(result.ok()) << result.error().message();
        ASSERT_TRUE(session.close().ok());
        const std::lock_guard lock(mutex);
        figures.push_back(result->test->figures);
      },
      workers);
  return figures;
}

double first_of(const std::vector<Figures>& figures) {
  EXPECT_FALSE(figures.empty());
  for (const Figures& other : figures) EXPECT_EQ(other, figures[0]) << "all nodes know the same";
  return figures.empty() ? 0 : figures[0][0].second;
}

double value_of(const Figures& figures, const std::string& name) {
  for (const auto& [known, value] : figures) {
    if (known == name) return value;
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

const std::vector<std::string> kConsistencies{"async", "ssp:2", "bsp"};

TEST(Tasks, CtrComesNearTheTrueModel) {
  for (const char* model : {"lr", "fm"}) {
    for (const std::string& consistency : kConsistencies) {
      const auto figures = train_in_job(2, 2, consistency, [&](const std::string& how) {
        return make("ctr", "generated:ctr,rows=20000,held_out=4000,fields=6,values_max=50",
                    {"epochs=4", "consistency=" + how, std::string("model=") + model, "rank=2"});
      });
      const double auc = first_of(figures);
      EXPECT_GT(auc, value_of(figures[0], "optimal_auc") - 0.03) << model << " " << consistency;
    }
  }
}

TEST(Tasks, KgeFindsThePlantedRotations) {
  const auto make_kge = [](const std::string& how) {
    return make("kge",
                "generated:graph,entities=300,relations=4,blocks=30,triples=4000,held_out=300",
                {"epochs=15", "rank=16", "batch=64", "negatives=100", "consistency=" + how});
  };
  double alone = 0;
  for (const std::string& consistency : kConsistencies) {
    const auto figures = train_in_job(alone == 0 ? 1 : 2, 2, consistency, make_kge);
    const double mrr = first_of(figures);
    EXPECT_GT(mrr, 3 * value_of(figures[0], "popularity_mrr")) << consistency;
    EXPECT_LE(mrr, value_of(figures[0], "optimal_mrr") + 0.02);
    if (alone == 0) alone = mrr;
    EXPECT_GT(mrr, 0.8 * alone) << consistency;
  }
}

// Sentences of words that belong together: a word's neighbours are of its own kind.
Corpus planted_text() {
  Prng prng(4);
  std::vector<std::string> sentences;
  for (int i = 0; i < 3000; ++i) {
    const char kind = static_cast<char>('a' + prng.below(5));
    std::string text;
    for (int word = 0; word < 12; ++word) {
      text += std::string(3, kind) + static_cast<char>('a' + prng.below(8)) + ' ';
    }
    sentences.push_back(text);
  }
  const std::vector<std::string_view> views(sentences.begin(), sentences.end());
  return make_corpus(views, {.min_count = 1}).value();
}

TEST(Tasks, WordsOfOneKindLieTogether) {
  for (const std::string& consistency : kConsistencies) {
    // aaaa is to aaab as bbba is to a word like bbbb: any of its kind but for the last letter.
    const auto figures = train_in_job(2, 1, consistency, [&](const std::string& how) {
      Settings settings = settings_of(**find_task_kind("w2v"));
      for (const std::string& text :
           {std::string("rank=16"), std::string("epochs=6"), std::string("subsampling=0"),
            std::string("chunk=100"), "consistency=" + how}) {
        settings.set(text, SettingSource::kFlag).value();
      }
      AnalogyQuestions questions;
      for (char kind = 'b'; kind <= 'e'; ++kind) {
        for (char last = 'b'; last <= 'h'; ++last) {
          questions.push_back(
              {"aaaa", "aaaa", std::string(3, kind) + 'a', std::string(3, kind) + last});
        }
      }
      return make_w2v_task(settings, planted_text(), questions).value();
    });
    // Seven of 39 words would be right; one of the seven is asked for in each of seven questions.
    EXPECT_NEAR(first_of(figures), 1.0 / 7, 0.01) << consistency;
  }
}

TEST(Tasks, EachHasSettingsThatAreAllowed) {
  for (const TaskKind& kind : task_kinds()) {
    const Settings settings = settings_of(kind);
    EXPECT_TRUE(check_common_settings(settings).ok()) << kind.name;
    for (const Setting& setting : settings.all()) {
      EXPECT_FALSE(setting.doc.empty()) << setting.name;
      for (const std::string& choice : setting.choices) {
        Settings other = settings_of(kind);
        other.set(setting.name, choice, SettingSource::kFlag).value();
        EXPECT_TRUE(check_common_settings(other).ok()) << setting.name << "=" << choice;
      }
    }
  }
  EXPECT_THAT(find_task_kind("w3v").error().message(), HasSubstr("did you mean 'w2v'"));
}

TEST(Tasks, DataOfAnotherKindAreRefused) {
  Settings settings = settings_of(**find_task_kind("kge"));
  const DataSource source = find_data({}, "generated:lowrank").value();
  EXPECT_FALSE((*find_task_kind("kge"))->make(settings, {}, source).ok());
  Settings linear = settings_of(**find_task_kind("ctr"));
  EXPECT_THAT((*find_task_kind("ctr"))
                  ->make(linear, {}, find_data({}, "generated:linear").value())
                  .error()
                  .message(),
              HasSubstr("two classes"));
}

}  // namespace
}  // namespace godwit
