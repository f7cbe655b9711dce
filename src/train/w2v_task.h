// train/w2v_task.h: word vectors by skip-gram with negative sampling.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "data/corpus.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// rank, window, negatives, epochs, learning_rate, subsampling, min_count, max_words, chunk.
void add_w2v_settings(Settings& settings);

using AnalogyQuestions = std::vector<std::array<std::string, 4>>;

// Tables `input` (the word vectors) and `output`. Without questions there is nothing to judge by.
// kInvalidArgument for settings that do not go together.
Result<std::unique_ptr<Task>> make_w2v_task(const Settings& settings, Corpus corpus,
                                            AnalogyQuestions questions);

}  // namespace godwit
