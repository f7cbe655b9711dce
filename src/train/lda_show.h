// train/lda_show.h: the words that make topics what they are. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "godwit/ids.h"
#include "report/run_lines.h"

namespace godwit {

class LdaTopWords {
 public:
  explicit LdaTopWords(std::size_t topics) : best_(topics), totals_(topics) {}

  // A word's counts by topic.
  void add(Key word, std::span<const float> counts);

  // Words of a topic, most frequent first.
  std::vector<Key> of(std::size_t topic) const;

  // The topics with most tokens, and their most frequent words.
  RunSection section(const std::vector<std::string>& words) const;

 private:
  std::vector<std::vector<std::pair<float, Key>>> best_;  // falling
  std::vector<double> totals_;
};

}  // namespace godwit
