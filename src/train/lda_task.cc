// train/lda_task.cc: a tick is a batch of documents. Rows are copied when it begins, topics are
// drawn by the copies, and what has changed is added to each row once, under its lock.
#include "train/lda_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "train/common_settings.h"
#include "train/example_order.h"
#include "train/lda_sampler.h"
#include "train/lda_show.h"
#include "train/lda_tick.h"
#include "train/lda_topics.h"

namespace godwit {
namespace {

constexpr std::size_t kBatchesAhead = 2;
constexpr std::uint64_t kSegmentTokens = 3'000'000;
constexpr std::size_t kRowsAtOnce = 1024;
constexpr const char* kOwnName = "topics";
constexpr const char* kWordTopics = "word_topics";

class LdaTask final : public Task {
 public:
  LdaTask(const Settings& settings, LdaCorpus corpus)
      : corpus_(std::move(corpus)),
        model_{.topics = static_cast<std::size_t>(settings.count("topics")),
               .words = corpus_.words.size(),
               .alpha = settings.real("alpha"),
               .beta = settings.real("beta")},
        epochs_(settings.count("epochs")),
        batch_(static_cast<std::size_t>(settings.count("batch"))),
        seed_(static_cast<std::uint64_t>(settings.count("seed"))),
        common_(common_table_spec(settings)),
        topics_of_(corpus_.train.words.size(), kNoTopic) {}

  std::int64_t epochs() const override { return epochs_; }
  std::int64_t segments() const override {
    return static_cast<std::int64_t>(corpus_.train.words.size() / kSegmentTokens + 1);
  }
  std::int64_t judge_every() const override { return std::max<std::int64_t>(1, epochs_ / 10); }
  std::string quality_name() const override { return "loglik"; }
  bool is_larger_better() const override { return true; }
  bool has(Split split) const override { return !part(split).words.empty(); }
  std::vector<std::string> data_notes() const override { return corpus_.notes; }
  RowNames names() const override { return {{kWordTopics, corpus_.words}}; }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    TableSpec spec = common_;
    spec.rule = Rule::add();
    spec.name = kWordTopics;
    spec.rows = model_.words;
    spec.row_length = static_cast<std::uint32_t>(model_.topics);
    GODWIT_TRY_ASSIGN(word_topics_, session.table(spec));
    spec.name = "topics";
    spec.rows = 1;
    GODWIT_TRY_ASSIGN(topics_, session.table(spec));
    const auto firsts = share_documents(corpus_.train, session.nodes() * workers_per_node);
    const auto begin = static_cast<std::size_t>(session.node().value() * workers_per_node);
    firsts_.assign(firsts.begin() + static_cast<std::ptrdiff_t>(begin),
                   firsts.begin() + static_cast<std::ptrdiff_t>(begin) + workers_per_node + 1);
    orders_.resize(static_cast<std::size_t>(workers_per_node));
    return {};
  }

  Result<> begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      orders_[i].draw(firsts_[i], firsts_[i + 1], segments(), seed_, epoch);
    }
    return {};
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    const ExampleOrder& order = orders_[static_cast<std::size_t>(share.in_node)];
    const std::size_t batches =
        ticks_of_segment(corpus_.train.words.size(), segments(), share.count, batch_);
    Prng prng(mix64(mix64(seed_, static_cast<std::uint64_t>(epoch_ * segments() + segment)),
                    static_cast<std::uint64_t>(share.index)));
    LdaTick tick(model_, corpus_.train);
    std::deque<LdaBatch> ahead;
    std::size_t made = 0;
    for (std::size_t i = 0; i < batches; ++i) {
      for (; made < std::min(batches, i + 1 + kBatchesAhead); ++made) {
        LdaBatch batch = tick.make_batch(order.part(segment, made, batches));
        const Tick first{worker.tick().value() + static_cast<std::int64_t>(made - i)};
        GODWIT_TRY(intend(worker, first, batch));
        ahead.push_back(std::move(batch));
      }
      LdaBatch batch = std::move(ahead.front());
      ahead.pop_front();
      double loss = 0;
      if (!batch.places.empty()) {
        GODWIT_TRY(worker.open(batch.words));
        GODWIT_TRY(worker.open(batch.totals));
        loss = tick.draw(batch, topics_of_, prng);
        GODWIT_TRY(worker.close(batch.words));
        GODWIT_TRY(worker.close(batch.totals));
        GODWIT_TRY(worker.report_objective(loss / static_cast<double>(batch.places.size())));
      }
      GODWIT_TRY(worker.advance());
      sums["loss"] += loss;
      sums["examples"] += static_cast<double>(batch.places.size());
    }
    return {};
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    const std::vector<Key> only{0};
    std::vector<float> totals(model_.topics);
    GODWIT_TRY(worker.pull(*topics_, only, totals));
    const auto at = static_cast<std::size_t>(share.in_node);
    double loglik = 0;
    std::uint64_t first = firsts_[at];
    while (first < firsts_[at + 1]) {
      std::uint64_t last = first;
      while (last < firsts_[at + 1] &&
             part(split).begins[last] - part(split).begins[first] < kRowsAtOnce) {
        ++last;
      }
      GODWIT_TRY_ASSIGN(const double some, judge_documents(worker, split, first, last, totals));
      loglik += some;
      first = last;
    }
    sums["loglik"] += loglik;
    sums["count"] +=
        static_cast<double>(part(split).begins[firsts_[at + 1]] - part(split).begins[firsts_[at]]);
    return count_tokens(worker, share, totals, sums);
  }

  Figures figures(Split /*split*/, const Sums& sums) const override {
    const double loglik = sums.at("loglik") / std::max(1.0, sums.at("count"));
    return {{"loglik", loglik},
            {"perplexity", std::exp(-loglik)},
            {"counts_off", std::abs(sums.at("word_counts") - sums.at("tokens")) +
                               std::abs(sums.at("topic_counts") - sums.at("tokens"))}};
  }

  Result<std::vector<RunSection>> show(Worker& worker) override {
    LdaTopWords top(model_.topics);
    std::vector<float> rows;
    std::vector<Key> keys;
    for (std::uint64_t word = 0; word < model_.words; word += kRowsAtOnce) {
      GODWIT_TRY(pull_words(worker, word, std::min(model_.words, word + kRowsAtOnce), keys, rows));
      for (std::size_t i = 0; i < keys.size(); ++i) top.add(keys[i], row_of(rows, i));
    }
    return std::vector<RunSection>{top.section(corpus_.words)};
  }

  std::map<std::string, std::string> save_own() override {
    return {{kOwnName, pack_topics(corpus_.train, topics_of_, firsts_.front(), firsts_.back())}};
  }

  Result<> load_own(const std::map<std::string, std::string>& own) override {
    return unpack_topics(own, corpus_.train, model_.topics, firsts_.front(), firsts_.back(),
                         topics_of_);
  }

 private:
  const LdaTokens& part(Split split) const {
    return split == Split::kValid ? corpus_.valid : corpus_.test;
  }

  std::span<const float> row_of(const std::vector<float>& rows, std::size_t i) const {
    return std::span(rows).subspan(i * model_.topics, model_.topics);
  }

  Result<> intend(Worker& worker, Tick first, LdaBatch& batch) const {
    const std::vector<Key> only{0};
    const Tick last{first.value() + 1};
    GODWIT_TRY_ASSIGN(batch.words, worker.intend(*word_topics_, batch.keys, first, last));
    GODWIT_TRY_ASSIGN(batch.totals, worker.intend(*topics_, only, first, last));
    return {};
  }

  Result<> pull_words(Worker& worker, std::uint64_t first, std::uint64_t last,
                      std::vector<Key>& keys, std::vector<float>& rows) const {
    keys.clear();
    for (std::uint64_t word = first; word < last; ++word) keys.push_back(word);
    rows.resize(keys.size() * model_.topics);
    return worker.pull(*word_topics_, keys, rows);
  }

  // The sum of log p of held-out tokens.
  Result<double> judge_documents(Worker& worker, Split split, std::uint64_t first,
                                 std::uint64_t last, std::span<const float> totals) const {
    const LdaTokens& held = part(split);
    std::vector<Key> keys;
    for (std::uint64_t i = held.begins[first]; i < held.begins[last]; ++i) {
      keys.push_back(held.words[i]);
    }
    if (keys.empty()) return 0.0;
    std::vector<float> rows(keys.size() * model_.topics);
    GODWIT_TRY(worker.pull(*word_topics_, keys, rows));
    std::vector<float> counts(model_.topics);
    double sum = 0;
    std::size_t next = 0;
    for (std::uint64_t document = first; document < last; ++document) {
      std::fill(counts.begin(), counts.end(), 0.0F);
      double length = 0;
      for (std::uint64_t i = corpus_.train.begins[document]; i < corpus_.train.begins[document + 1];
           ++i) {
        if (topics_of_[i] == kNoTopic) continue;
        counts[topics_of_[i]] += 1;
        length += 1;
      }
      for (std::size_t i = 0; i < held.of(document).size(); ++i) {
        sum += lda_log_probability(model_, row_of(rows, next++), totals, counts, length);
      }
    }
    return sum;
  }

  // How many tokens there are by the tables and by the documents, of this worker's share.
  Result<> count_tokens(Worker& worker, const WorkerShare& share, std::span<const float> totals,
                        Sums& sums) const {
    double counted = 0;
    const auto [first, last] = share.of(model_.words);
    std::vector<Key> keys;
    std::vector<float> rows;
    for (std::uint64_t word = first; word < last; word += kRowsAtOnce) {
      GODWIT_TRY(pull_words(worker, word, std::min(last, word + kRowsAtOnce), keys, rows));
      for (const float count : rows) counted += double{count};
    }
    sums["word_counts"] += counted;
    double all = 0;
    for (const float count : totals) all += double{count};
    sums["topic_counts"] += share.index == 0 ? all : 0;
    const auto at = static_cast<std::size_t>(share.in_node);
    double tokens = 0;
    for (std::uint64_t i = corpus_.train.begins[firsts_[at]];
         i < corpus_.train.begins[firsts_[at + 1]]; ++i) {
      tokens += topics_of_[i] == kNoTopic ? 0 : 1;
    }
    sums["tokens"] += tokens;
    return {};
  }

  const LdaCorpus corpus_;
  const LdaModel model_;
  const std::int64_t epochs_;
  const std::size_t batch_;
  const std::uint64_t seed_;
  const TableSpec common_;
  std::int64_t epoch_ = 0;
  std::optional<Table> word_topics_;
  std::optional<Table> topics_;
  std::vector<std::uint64_t> firsts_;  // documents of this node's workers, and the end
  std::vector<ExampleOrder> orders_;   // of each worker of this node
  // Of each token to train on; those of other nodes' documents are not kept.
  std::vector<std::uint16_t> topics_of_;
};

}  // namespace

void add_lda_settings(Settings& settings) {
  settings.add_count("topics", "100", 2, 10'000, "topics");
  settings.add_count("epochs", "50", 1, 1'000'000, "times over the data");
  settings.add_number("alpha", "auto", 1e-6, 1000,
                      "auto: 5 / topics; of each topic, before a document has any of it");
  settings.add_number("beta", "0.1", 1e-6, 1000, "of each word, before a topic has any of it");
  settings.add_count("batch", "40000", 1, 100'000'000, "tokens of a tick, about");
  settings.add_count("min_count", "5", 1, 1'000'000'000, "leaves out words that are rarer");
  settings.add_number(
      "max_share", "auto", 1e-9, 1,
      "auto: by the length of documents; leaves out words that are in more of them");
  settings.add_count("vocabulary", "50000", 1, 100'000'000, "most frequent words that are kept");
  settings.add_count("document_words", "1000", 1, 1'000'000'000,
                     "longer documents are cut into pieces of so many words");
}

CorpusOptions lda_corpus_options(const Settings& settings) {
  return {.min_count = static_cast<std::uint64_t>(settings.count("min_count")),
          .max_sentence = static_cast<std::uint64_t>(settings.count("document_words"))};
}

Result<LdaCorpus> resolve_lda_settings(Settings& settings, const Corpus& corpus) {
  if (settings.text("codec") != "fp32") {
    return invalid_argument("codec is {}, but counts of topics must travel as fp32",
                            settings.text("codec"));
  }
  if (settings.is_auto("alpha")) {
    settings.resolve("alpha",
                     fmt::format("{:.4g}", 5 / static_cast<double>(settings.count("topics"))));
  }
  if (settings.is_auto("max_share")) {
    settings.resolve("max_share", fmt::format("{:.3g}", usual_max_share(corpus)));
  }
  return make_lda_corpus(
      corpus, {.max_share = settings.number("max_share"),
               .words_max = static_cast<std::uint64_t>(settings.count("vocabulary")),
               .split = {.valid = settings.number("valid_share"),
                         .test = settings.number("test_share"),
                         .seed = static_cast<std::uint64_t>(settings.count("split_seed"))}});
}

std::unique_ptr<Task> make_lda_task(const Settings& settings, LdaCorpus corpus) {
  return std::make_unique<LdaTask>(settings, std::move(corpus));
}

}  // namespace godwit
