// train/w2v_task.cc: chunks of text; the rows of their words and negatives are leased ahead and
// changed in place, without locks.
#include "train/w2v_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <utility>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "train/analogies.h"
#include "train/common_settings.h"
#include "train/example_order.h"
#include "train/pull_rows.h"
#include "train/skip_gram.h"
#include "train/skip_gram_plan.h"
#include "train/text_chunks.h"
#include "train/word_space.h"

namespace godwit {
namespace {

constexpr std::size_t kChunksAhead = 4;
constexpr std::uint64_t kSegmentWords = 400'000;
constexpr std::size_t kValidEvery = 7;  // of the questions, while training
constexpr float kRateLeft = 1e-4F;      // of the learning rate, at the end
constexpr std::array<const char*, 5> kWordsShown{"king", "paris", "river", "music", "computer"};

class W2vTask final : public Task {
 public:
  W2vTask(const Settings& settings, Corpus corpus, AnalogyQuestions questions, WordShares shares)
      : corpus_(std::move(corpus)),
        questions_(std::move(questions)),
        shares_(std::move(shares)),
        setup_(w2v_setup_of(settings, corpus_)),
        chunks_(corpus_, setup_.chunk) {
    for (std::size_t i = 0; i < questions_.size(); i += kValidEvery) {
      some_questions_.push_back(questions_[i]);
    }
  }

  std::int64_t epochs() const override { return setup_.epochs; }
  std::int64_t segments() const override {
    return static_cast<std::int64_t>(corpus_.tokens.size() / kSegmentWords + 1);
  }
  std::string quality_name() const override { return "analogies"; }
  bool is_larger_better() const override { return true; }
  bool has(Split /*split*/) const override { return !questions_.empty(); }
  std::string judged_by() const override { return "text/questions-words.txt in GODWIT_DATA"; }
  std::vector<std::string> data_notes() const override { return corpus_.understood.lines; }

  std::map<std::string, std::vector<std::string>> names() const override {
    return {{"input", corpus_.vocabulary.words}, {"output", corpus_.vocabulary.words}};
  }

  Result<> open(Session& session, std::int64_t workers_per_node) override {
    GODWIT_TRY_ASSIGN(inputs_, session.table(setup_.inputs));
    GODWIT_TRY_ASSIGN(outputs_, session.table(setup_.outputs));
    orders_.open(session, workers_per_node);
    return {};
  }

  Result<> begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    orders_.draw(chunks_.size(), segments(), setup_.seed, epoch);
    return {};
  }

  Result<> train(Worker& worker, const WorkerShare& share, std::int64_t segment,
                 Sums& sums) override {
    const ExampleOrder& order = orders_.of(share);
    const std::size_t ticks = ticks_of_segment(chunks_.size(), segments(), share.count, 1);
    SkipGramPlanner planner(shares_);
    std::deque<Leased> ahead;
    std::vector<Leased> spare;
    std::size_t made = 0;
    for (std::size_t i = 0; i < ticks; ++i) {
      for (; made < std::min(ticks, i + 1 + kChunksAhead); ++made) {
        const Tick tick{worker.tick().value() + static_cast<std::int64_t>(made - i)};
        for (const std::uint64_t chunk : order.part(segment, made, ticks)) {
          Leased leased = take(spare);
          GODWIT_TRY(lease(worker, planner, chunk, made, tick, leased));
          ahead.push_back(std::move(leased));
        }
      }
      const double part =
          (static_cast<double>(segment) + static_cast<double>(i) / static_cast<double>(ticks)) /
          static_cast<double>(segments());
      while (!ahead.empty() && ahead.front().tick == i) {
        GODWIT_TRY(learn(worker, ahead.front(), part, sums));
        spare.push_back(std::move(ahead.front()));
        ahead.pop_front();
      }
      GODWIT_TRY(worker.advance());
    }
    return {};
  }

  Result<> judge(Worker& worker, const WorkerShare& share, Split split, Sums& sums) override {
    const AnalogyQuestions& all = split == Split::kValid ? some_questions_ : questions_;
    const auto [first, last] = share.of(all.size());
    AnalogyScore score;
    if (last > first) {
      GODWIT_TRY_ASSIGN(const WordSpace space, pull_space(worker));
      score = ask_analogies(space, std::span(corpus_.vocabulary.words).first(space.size()),
                            std::span(all).subspan(first, last - first));
    }
    sums["asked"] += static_cast<double>(score.asked);
    sums["right"] += static_cast<double>(score.right);
    return {};
  }

  Figures figures(Split /*split*/, const Sums& sums) const override {
    return {{"analogies", sums.at("right") / std::max(1.0, sums.at("asked"))},
            {"questions", sums.at("asked")}};
  }

  Result<std::vector<RunSection>> show(Worker& worker) override {
    GODWIT_TRY_ASSIGN(const WordSpace space, pull_space(worker));
    const auto& words = corpus_.vocabulary.words;
    RunSection near{.title = "Nearest neighbours (cosine)", .table = {{"word", "nearest"}}};
    for (const char* word : kWordsShown) {
      const auto found = std::find(words.begin(), words.end(), word);
      const auto place = static_cast<std::size_t>(found - words.begin());
      if (place >= space.size()) continue;
      std::string text;
      for (const auto& other : space.nearest(static_cast<std::uint32_t>(place), 5)) {
        text +=
            fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", words[other.word], other.cosine);
      }
      near.table.push_back({word, text});
    }
    return std::vector<RunSection>{near};
  }

 private:
  struct Leased {
    std::size_t tick = 0;  // of the segment
    std::uint64_t chunk = 0;
    SkipGramPlan plan;
    Lease inputs;
    Lease outputs;
  };

  static Leased take(std::vector<Leased>& spare) {
    if (spare.empty()) return {};
    Leased leased = std::move(spare.back());
    spare.pop_back();
    return leased;
  }

  Result<> lease(Worker& worker, SkipGramPlanner& planner, std::uint64_t chunk, std::size_t at,
                 Tick tick, Leased& leased) const {
    leased.tick = at;
    leased.chunk = chunk;
    planner.plan(chunks_.tokens(chunk), chunks_.ends(chunk), setup_.seed_of(epoch_, chunk),
                 leased.plan);
    const Tick next{tick.value() + 1};
    GODWIT_TRY_ASSIGN(leased.inputs, worker.intend(*inputs_, leased.plan.input_keys(), tick, next));
    GODWIT_TRY_ASSIGN(leased.outputs,
                      worker.intend(*outputs_, leased.plan.output_keys(), tick, next));
    return {};
  }

  Result<> learn(Worker& worker, Leased& leased, double part, Sums& sums) const {
    GODWIT_TRY(worker.open(leased.inputs, Access::kRacy));
    GODWIT_TRY(worker.open(leased.outputs, Access::kRacy));
    const SkipGramProgress progress =
        step_plan(leased.plan, leased.inputs.pointers(), leased.outputs.pointers(),
                  setup_.step_at(epoch_, part, leased.chunk));
    GODWIT_TRY(worker.close(leased.inputs));
    GODWIT_TRY(worker.close(leased.outputs));
    const auto pairs = static_cast<double>(progress.pairs);
    const auto words = static_cast<double>(chunks_.tokens(leased.chunk).size());
    if (pairs > 0) GODWIT_TRY(worker.report_objective(progress.loss / pairs));
    // The loop divides by examples, which are words read; the loss is meant per pair.
    sums["loss"] += pairs > 0 ? progress.loss / pairs * words : 0;
    sums["examples"] += words;
    return {};
  }

  Result<WordSpace> pull_space(Worker& worker) const {
    const std::size_t words = std::min(kJudgedWords, corpus_.vocabulary.words.size());
    std::vector<float> vectors;
    GODWIT_TRY(pull_rows(worker, *inputs_, words, vectors));
    return WordSpace(vectors, setup_.step.row_length);
  }

  const Corpus corpus_;
  const AnalogyQuestions questions_;
  AnalogyQuestions some_questions_;
  const WordShares shares_;
  const W2vSetup setup_;
  const TextChunks chunks_;
  std::int64_t epoch_ = 0;
  std::optional<Table> inputs_;
  std::optional<Table> outputs_;
  WorkerOrders orders_;
};

}  // namespace

void add_w2v_settings(Settings& settings) {
  settings.add_count("rank", "100", 1, 4096, "numbers of a word vector");
  settings.add_count("window", "5", 1, kSkipGramWindowMax, "the farthest context of a word");
  settings.add_count("negatives", "5", 1, 100, "words drawn for each centre");
  settings.add_count("epochs", "5", 1, 1'000'000, "times over the text");
  settings.add_number("learning_rate", "0.05", 1e-9, 10, "falls to 0 over the epochs");
  settings.add_number("subsampling", "0.0001", 0, 1, "frequent words are left out; 0: none");
  settings.add_count("min_count", "5", 1, 1'000'000'000, "rarer words are left out");
  settings.add_count("max_words", "0", 0, 1'000'000'000'000, "read no more; 0: all");
  settings.add_count("chunk", "1000", 1, 1'000'000, "words of a tick");
}

std::uint64_t W2vSetup::seed_of(std::int64_t epoch, std::uint64_t chunk_number) const {
  return mix64(mix64(seed, static_cast<std::uint64_t>(epoch)), chunk_number);
}

SkipGramStep W2vSetup::step_at(std::int64_t epoch, double part, std::uint64_t chunk_number) const {
  SkipGramStep now = step;
  const double done = (static_cast<double>(epoch) + part) / static_cast<double>(epochs);
  now.learning_rate *= std::max(kRateLeft, static_cast<float>(1 - done));
  now.seed = seed_of(epoch, chunk_number);
  return now;
}

W2vSetup w2v_setup_of(const Settings& settings, const Corpus& corpus) {
  W2vSetup setup{.step = {.row_length = static_cast<std::size_t>(settings.count("rank")),
                          .window = static_cast<std::uint32_t>(settings.count("window")),
                          .learning_rate = settings.real("learning_rate")},
                 .plan = {.subsampling = settings.number("subsampling"),
                          .negatives = static_cast<std::uint32_t>(settings.count("negatives"))},
                 .chunk = static_cast<std::uint64_t>(settings.count("chunk")),
                 .epochs = settings.count("epochs"),
                 .seed = static_cast<std::uint64_t>(settings.count("seed"))};
  setup.inputs = common_table_spec(settings);
  setup.inputs.name = "input";
  setup.inputs.rows = corpus.vocabulary.words.size();
  setup.inputs.row_length = static_cast<std::uint32_t>(setup.step.row_length);
  setup.inputs.init = Init::uniform(0.5F / static_cast<float>(setup.step.row_length), setup.seed);
  setup.outputs = setup.inputs;
  setup.outputs.name = "output";
  setup.outputs.init = Init::zeros();
  return setup;
}

Result<std::unique_ptr<Task>> make_w2v_task(const Settings& settings, Corpus corpus,
                                            AnalogyQuestions questions) {
  if (corpus.vocabulary.words.size() < 2) {
    return invalid_argument("the text has {} words that occur {} times or more: too few",
                            corpus.vocabulary.words.size(), settings.count("min_count"));
  }
  GODWIT_TRY_ASSIGN(WordShares shares, WordShares::make(corpus.vocabulary.counts,
                                                        w2v_setup_of(settings, corpus).plan));
  return std::unique_ptr<Task>(std::make_unique<W2vTask>(settings, std::move(corpus),
                                                         std::move(questions), std::move(shares)));
}

}  // namespace godwit
