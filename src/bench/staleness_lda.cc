// bench/staleness_lda.cc: topics of documents as `godwit train lda` finds them: counts are read
// when a tick begins, topics are drawn, and what has changed is added.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "bench/staleness_learner.h"
#include "train/lda_corpus.h"
#include "train/lda_sampler.h"
#include "train/lda_tick.h"

namespace godwit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWords = 500;
constexpr std::size_t kPlanted = 10;
constexpr std::size_t kDocuments = 2048;
constexpr std::size_t kLength = 32;  // tokens of a document
constexpr double kSpread = 25;       // a topic's word is e^(1/25) times as likely as its next one

// Many more topics than were planted: with 16 for 8, two runs of the same mode differed as much as
// modes did.
constexpr LdaModel kModel{.topics = 32, .words = kWords, .alpha = 0.1F, .beta = 0.05F};

// Each planted topic has the words in an order of its own, from likely to unlikely: all are equally
// hard to predict, so that a few batches tell how good the model is. A document has two topics, one
// for two thirds of its tokens.
LdaTokens planted_documents() {
  Prng prng(11);
  std::vector<std::vector<std::uint32_t>> words(kPlanted);
  for (auto& topic : words) {
    topic.resize(kWords);
    std::iota(topic.begin(), topic.end(), 0U);
    for (std::size_t i = kWords; i > 1; --i) std::swap(topic[i - 1], topic[prng.below(i)]);
  }
  LdaTokens tokens;
  for (std::size_t document = 0; document < kDocuments; ++document) {
    const std::size_t first = prng.below(kPlanted);
    const std::size_t second = prng.below(kPlanted);
    for (std::size_t i = 0; i < kLength; ++i) {
      const auto& topic = words[prng.below(3) == 0 ? second : first];
      const auto place = static_cast<std::size_t>(-kSpread * std::log(1 - prng.uniform()));
      tokens.words.push_back(topic[std::min(place, kWords - 1)]);
    }
    tokens.begins.push_back(tokens.words.size());
  }
  return tokens;
}

struct Counts {
  Table words;
  Table totals;  // one row
};

class LdaLearner final : public StalenessLearner {
 public:
  // Of the documents [first, last).
  LdaLearner(std::size_t batch, const Counts& counts, const LdaTokens& tokens, std::uint64_t first,
             std::uint64_t last, std::uint64_t seed)
      : batch_(batch),
        counts_(counts),
        first_(first),
        last_(last),
        tick_(kModel, tokens),
        topics_(tokens.words.size(), kNoTopic),
        prng_(seed) {}

  Result<> intend(Worker& worker, std::int64_t tick) override {
    documents_.clear();
    for (std::size_t i = 0; i < batch_; ++i) {
      documents_.push_back(first_ +
                           (static_cast<std::size_t>(tick) * batch_ + i) % (last_ - first_));
    }
    LdaBatch batch = tick_.make_batch(documents_);
    const std::vector<Key> only{0};
    const Tick first{tick};
    const Tick last{tick + 1};
    GODWIT_TRY_ASSIGN(batch.words, worker.intend(counts_.words, batch.keys, first, last));
    GODWIT_TRY_ASSIGN(batch.totals, worker.intend(counts_.totals, only, first, last));
    batches_.push_back(std::move(batch));
    return {};
  }

  Result<double> learn(Worker& worker, std::int64_t /*tick*/, double& wait_seconds) override {
    LdaBatch& batch = batches_.front();
    const auto begin = Clock::now();
    GODWIT_TRY(worker.open(batch.words));
    GODWIT_TRY(worker.open(batch.totals));
    wait_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    const double loss = tick_.draw(batch, topics_, prng_);
    GODWIT_TRY(worker.close(batch.words));
    GODWIT_TRY(worker.close(batch.totals));
    return loss / static_cast<double>(batch.places.size());
  }

  void end_tick() override { batches_.pop_front(); }

 private:
  const std::size_t batch_;
  const Counts& counts_;
  const std::uint64_t first_;
  const std::uint64_t last_;
  LdaTick tick_;
  std::vector<std::uint16_t> topics_;  // of all tokens; those of others' documents are not used
  Prng prng_;
  std::vector<std::uint64_t> documents_;
  std::deque<LdaBatch> batches_;  // of the ticks asked for
};

class LdaTask final : public StalenessTask {
 public:
  explicit LdaTask(const StalenessCase& that)
      : that_(that),
        tokens_(planted_documents()),
        firsts_(share_documents(tokens_, that.nodes * that.workers)) {}

  Result<> open(Session& session) override {
    TableSpec spec{.name = "word_topics",
                   .rows = kModel.words,
                   .row_length = static_cast<std::uint32_t>(kModel.topics),
                   .rule = Rule::add(),
                   .consistency = that_.consistency};
    GODWIT_TRY_ASSIGN(Table words, session.table(spec));
    spec.name = "topics";
    spec.rows = 1;
    GODWIT_TRY_ASSIGN(Table totals, session.table(spec));
    counts_ = Counts{std::move(words), std::move(totals)};
    return {};
  }

  std::unique_ptr<StalenessLearner> make_learner(std::int64_t worker) const override {
    const auto i = static_cast<std::size_t>(worker);
    return std::make_unique<LdaLearner>(that_.batch, *counts_, tokens_, firsts_[i], firsts_[i + 1],
                                        mix64(13, i));
  }

 private:
  const StalenessCase that_;
  const LdaTokens tokens_;
  const std::vector<std::uint64_t> firsts_;  // document of each worker, and the end
  std::optional<Counts> counts_;
};

}  // namespace

Result<std::unique_ptr<StalenessTask>> make_staleness_lda(const StalenessCase& that) {
  if (static_cast<std::size_t>(that.nodes * that.workers) > kDocuments) {
    return invalid_argument("{} x {} workers: there are {} documents", that.nodes, that.workers,
                            kDocuments);
  }
  return std::unique_ptr<StalenessTask>(std::make_unique<LdaTask>(that));
}

}  // namespace godwit
