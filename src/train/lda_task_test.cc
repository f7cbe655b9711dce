// train/lda_task_test.cc: counts are kept and topics are found, by several workers and nodes.
#include "train/lda_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/prng.h"
#include "node/job_fixture.h"
#include "train/common_settings.h"
#include "train/lda_show.h"
#include "train/training_loop.h"

namespace godwit {
namespace {

constexpr std::size_t kPlanted = 4;
constexpr std::size_t kWordsEach = 10;

// Documents of one or two planted topics, each of which has words of its own; tokens to train on.
LdaCorpus planted(std::size_t documents) {
  Prng prng(11);
  LdaCorpus corpus;
  for (std::size_t i = 0; i < kPlanted * kWordsEach; ++i) {
    corpus.words.push_back("w" + std::to_string(i));
  }
  for (std::size_t document = 0; document < documents; ++document) {
    const std::size_t a = prng.below(kPlanted);
    const std::size_t b = prng.below(kPlanted);
    for (int i = 0; i < 22; ++i) {
      const std::size_t topic = prng.below(3) == 0 ? b : a;
      LdaTokens& to = i < 20 ? corpus.train : i < 21 ? corpus.valid : corpus.test;
      to.words.push_back(static_cast<std::uint32_t>(topic * kWordsEach + prng.below(kWordsEach)));
    }
    for (LdaTokens* tokens : {&corpus.train, &corpus.valid, &corpus.test}) {
      tokens->begins.push_back(tokens->words.size());
    }
  }
  return corpus;
}

Settings settings_with(const std::vector<std::string>& assignments) {
  Settings settings;
  add_common_settings(settings);
  add_lda_settings(settings);
  settings.set("topics=4", SettingSource::kFlag).value();
  settings.set("alpha=0.1", SettingSource::kFlag).value();
  settings.set("batch=200", SettingSource::kFlag).value();
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  return settings;
}

LoopResult train_all(Session& session, Task& task, std::int64_t workers, Cursor begin = {}) {
  const std::atomic<bool> stop{false};
  return train(session, task, {.workers = workers}, {.next = begin}, RealTime(), stop, {}).value();
}

std::vector<float> pull_counts(Session& session, const std::string& name, std::uint64_t rows,
                               const std::string& consistency = "async") {
  TableSpec spec{.name = name, .rows = rows, .row_length = kPlanted};
  spec.consistency = Consistency::parse(consistency).value();
  const Table table = session.table(spec).value();
  std::vector<Key> keys(rows);
  std::iota(keys.begin(), keys.end(), Key{0});
  std::vector<float> values(rows * kPlanted);
  Worker worker = session.worker().value();
  worker.pull(table, keys, values).value();
  return values;
}

TEST(LdaTask, FindsThePlantedTopics) {
  Session session = Session::open({.workers = 2}).value();
  const auto task = make_lda_task(settings_with({"epochs=100", "beta=0.1"}), planted(400));
  task->open(session, 2).value();
  EXPECT_EQ(task->names(), (RowNames{{"word_topics", planted(1).words}}));
  const LoopResult result = train_all(session, *task, 2);
  LdaTopWords top(kPlanted);
  const auto counts = pull_counts(session, "word_topics", kPlanted * kWordsEach);
  for (std::size_t word = 0; word < kPlanted * kWordsEach; ++word) {
    top.add(word, std::span(counts).subspan(word * kPlanted, kPlanted));
  }
  std::set<std::uint64_t> found;
  for (std::size_t k = 0; k < kPlanted; ++k) {
    std::set<std::uint64_t> of_topics;
    for (const Key word : top.of(k)) of_topics.insert(word / kWordsEach);
    EXPECT_EQ(of_topics.size(), 1U) << "the ten words of topic " << k << " are of one planted one";
    found.insert(*of_topics.begin());
  }
  EXPECT_EQ(found.size(), kPlanted);
  // Knowing its topic only, a word is one of ten: -2.3; knowing nothing, of forty: -3.7.
  EXPECT_EQ(result.test->figures[0].first, "loglik");
  EXPECT_GT(result.test->figures[0].second, -3.3);
}

class LdaConsistency : public ::testing::TestWithParam<const char*> {};

TEST_P(LdaConsistency, NoCountIsLost) {
  const std::string consistency = GetParam();
  for (const std::int64_t nodes : {1, 3}) {
    const LdaCorpus corpus = planted(150);
    const auto tokens = static_cast<double>(corpus.train.words.size());
    run_job(
        nodes, "lda-counts-" + std::to_string(nodes),
        [&](Session& session) {
          const auto task =
              make_lda_task(settings_with({"epochs=6", "consistency=" + consistency}), corpus);
          task->open(session, 2).value();
          const LoopResult result = train_all(session, *task, 2);
          EXPECT_EQ(result.test->figures[2], (std::pair<std::string, double>("counts_off", 0)));
          session.barrier().value();
          if (session.node() == NodeId{0}) {
            for (const auto& [name, rows] : {std::pair("word_topics", kPlanted * kWordsEach),
                                             std::pair("topics", std::size_t{1})}) {
              const auto counts = pull_counts(session, name, rows, consistency);
              EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), tokens) << name;
              EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 0) << name;
            }
          }
          session.close().value();
        },
        2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LdaConsistency, ::testing::Values("async", "ssp:2", "bsp"));

TEST(LdaTask, GoesOnWithOtherWorkersAndKeepsItsCounts) {
  const LdaCorpus corpus = planted(150);
  const std::size_t words = kPlanted * kWordsEach;
  std::map<std::string, std::string> own;
  std::vector<float> word_topics;
  std::vector<float> topics;
  {
    Session session = Session::open({.workers = 2}).value();
    const auto task = make_lda_task(settings_with({"epochs=3"}), corpus);
    task->open(session, 2).value();
    train_all(session, *task, 2);
    for (auto& [name, bytes] : task->save_own()) own["0/" + name] = bytes;
    word_topics = pull_counts(session, "word_topics", words);
    topics = pull_counts(session, "topics", 1);
  }
  Session session = Session::open({.workers = 3}).value();
  const auto task = make_lda_task(settings_with({"epochs=6"}), corpus);
  task->open(session, 3).value();
  {
    Worker worker = session.worker().value();
    std::vector<Key> keys(words);
    std::iota(keys.begin(), keys.end(), Key{0});
    const TableSpec spec{.name = "word_topics", .rows = words, .row_length = kPlanted};
    worker.set(session.table(spec).value(), keys, word_topics).value();
    const TableSpec one{.name = "topics", .rows = 1, .row_length = kPlanted};
    worker.set(session.table(one).value(), std::vector<Key>{0}, topics).value();
  }
  task->load_own(own).value();
  const LoopResult result = train_all(session, *task, 3, {.epoch = 3});
  EXPECT_EQ(result.test->figures[2].second, 0) << result.test->figures[2].first;
  const auto counts = pull_counts(session, "topics", 1);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 150 * 20);
}

TEST(LdaTask, RefusesACodecThatRounds) {
  Settings settings;
  add_common_settings(settings);
  add_lda_settings(settings);
  settings.set("codec=int8", SettingSource::kFlag).value();
  const std::vector<std::string_view> documents{"a b", "c d"};
  const Corpus corpus = make_corpus(documents, {.min_count = 1}).value();
  const auto made = resolve_lda_settings(settings, corpus);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), ::testing::HasSubstr("fp32"));
}

}  // namespace
}  // namespace godwit
