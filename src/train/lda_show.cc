// train/lda_show.cc: keeps the ten best of each topic as words come.
#include "train/lda_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace godwit {
namespace {

constexpr std::size_t kWordsShown = 10;
constexpr std::size_t kTopicsShown = 10;

}  // namespace

void LdaTopWords::add(Key word, std::span<const float> counts) {
  for (std::size_t k = 0; k < best_.size(); ++k) {
    if (counts[k] <= 0) continue;
    totals_[k] += double{counts[k]};
    auto& best = best_[k];
    if (best.size() == kWordsShown && best.back().first >= counts[k]) continue;
    const std::pair<float, Key> entry{counts[k], word};
    best.insert(std::upper_bound(best.begin(), best.end(), entry, std::greater<>()), entry);
    if (best.size() > kWordsShown) best.pop_back();
  }
}

std::vector<Key> LdaTopWords::of(std::size_t topic) const {
  std::vector<Key> words;
  for (const auto& [count, word] : best_[topic]) words.push_back(word);
  return words;
}

RunSection LdaTopWords::section(const std::vector<std::string>& words) const {
  RunSection section{.title = "Topics: their most frequent words",
                     .table = {{"topic", "share of tokens", "words"}}};
  std::vector<std::size_t> order(best_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return totals_[k]; });
  const double all = std::max(1.0, std::accumulate(totals_.begin(), totals_.end(), 0.0));
  for (std::size_t i = 0; i < std::min(kTopicsShown, order.size()); ++i) {
    std::string text;
    for (const Key word : of(order[i])) text += (text.empty() ? "" : " ") + words[word];
    section.table.push_back(
        {std::to_string(order[i]), fmt::format("{:.1f} %", 100 * totals_[order[i]] / all), text});
  }
  return section;
}

}  // namespace godwit
