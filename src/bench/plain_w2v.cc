// bench/plain_w2v.cc: skip-gram on two arrays, chunk by chunk.
#include <span>
#include <utility>
#include <vector>

#include "base/try.h"
#include "bench/plain_rows.h"
#include "bench/plain_training.h"
#include "train/example_order.h"
#include "train/skip_gram.h"
#include "train/skip_gram_plan.h"
#include "train/text_chunks.h"
#include "train/w2v_task.h"

namespace godwit {
namespace {

class PlainW2v final : public PlainTraining {
 public:
  PlainW2v(W2vSetup setup, const Corpus& corpus, WordShares shares, const PlainWork& work,
           PlainRows inputs, PlainRows outputs)
      : setup_(std::move(setup)),
        shares_(std::move(shares)),
        chunks_(corpus, setup_.chunk),
        work_(work),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {
    orders_.open(work.workers);
  }

  void begin_epoch(std::int64_t epoch) override {
    epoch_ = epoch;
    orders_.draw(chunks_.size(), work_.segments, setup_.seed, epoch);
  }

  void train(const WorkerShare& share, std::int64_t segment, Sums& sums) override {
    const ExampleOrder& order = orders_.of(share);
    const std::size_t ticks = ticks_of_segment(chunks_.size(), work_.segments, share.count, 1);
    SkipGramPlanner planner(shares_);
    SkipGramPlan plan;
    std::vector<float*> inputs;
    std::vector<float*> outputs;
    for (std::size_t i = 0; i < ticks; ++i) {
      const double part =
          (static_cast<double>(segment) + static_cast<double>(i) / static_cast<double>(ticks)) /
          static_cast<double>(work_.segments);
      for (const std::uint64_t chunk : order.part(segment, i, ticks)) {
        planner.plan(chunks_.tokens(chunk), chunks_.ends(chunk), setup_.seed_of(epoch_, chunk),
                     plan);
        inputs_.point(plan.input_keys(), inputs);
        outputs_.point(plan.output_keys(), outputs);
        const SkipGramProgress progress =
            step_plan(plan, inputs, outputs, setup_.step_at(epoch_, part, chunk));
        const auto pairs = static_cast<double>(progress.pairs);
        const auto words = static_cast<double>(chunks_.tokens(chunk).size());
        sums["loss"] += pairs > 0 ? progress.loss / pairs * words : 0;
        sums["examples"] += words;
      }
    }
  }

 private:
  const W2vSetup setup_;
  const WordShares shares_;
  const TextChunks chunks_;
  const PlainWork work_;
  const PlainRows inputs_;
  const PlainRows outputs_;
  WorkerOrders orders_;
  std::int64_t epoch_ = 0;
};

}  // namespace

Result<std::unique_ptr<PlainTraining>> make_plain_w2v(const Settings& settings,
                                                      const Corpus& corpus, const PlainWork& work) {
  W2vSetup setup = w2v_setup_of(settings, corpus);
  GODWIT_TRY_ASSIGN(WordShares shares, WordShares::make(corpus.vocabulary.counts, setup.plan));
  GODWIT_TRY_ASSIGN(PlainRows inputs, PlainRows::make(setup.inputs));
  GODWIT_TRY_ASSIGN(PlainRows outputs, PlainRows::make(setup.outputs));
  return std::unique_ptr<PlainTraining>(std::make_unique<PlainW2v>(
      std::move(setup), corpus, std::move(shares), work, std::move(inputs), std::move(outputs)));
}

}  // namespace godwit
