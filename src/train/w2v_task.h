// train/w2v_task.h: word vectors by skip-gram with negative sampling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "train/settings.h"
#include "train/skip_gram.h"
#include "train/skip_gram_plan.h"
#include "train/task.h"

namespace godwit {

// rank, window, negatives, epochs, learning_rate, subsampling, min_count, max_words, chunk.
void add_w2v_settings(Settings& settings);

// What settings and text make of the model; also for who learns it without tables.
struct W2vSetup {
  SkipGramStep step;  // before its rate falls
  SkipGramPlanOptions plan;
  TableSpec inputs;
  TableSpec outputs;
  std::uint64_t chunk = 0;  // words
  std::int64_t epochs = 0;
  std::uint64_t seed = 0;

  // Of all that is random in a chunk.
  std::uint64_t seed_of(std::int64_t epoch, std::uint64_t chunk_number) const;
  // After this part of the epoch.
  SkipGramStep step_at(std::int64_t epoch, double part, std::uint64_t chunk_number) const;
};

W2vSetup w2v_setup_of(const Settings& settings, const Corpus& corpus);

// Of the most frequent words only, as others do it who compare.
inline constexpr std::size_t kJudgedWords = 30'000;

using AnalogyQuestions = std::vector<std::array<std::string, 4>>;

// Tables `input` (the word vectors) and `output`. Without questions there is nothing to judge by.
// kInvalidArgument for settings that do not go together.
Result<std::unique_ptr<Task>> make_w2v_task(const Settings& settings, Corpus corpus,
                                            AnalogyQuestions questions);

}  // namespace godwit
