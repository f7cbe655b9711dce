// train/lda_tick.cc: copies in, draws, adds changes word by word.
#include "train/lda_tick.h"

#include <algorithm>

namespace godwit {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

}  // namespace

LdaTick::LdaTick(const LdaModel& model, const LdaTokens& tokens)
    : model_(model),
      tokens_(tokens),
      counts_(model),
      place_of_(model.words, kNone),
      total_changes_(model.topics) {}

LdaBatch LdaTick::make_batch(std::span<const std::uint64_t> documents) {
  LdaBatch batch;
  batch.documents.assign(documents.begin(), documents.end());
  for (const std::uint64_t document : documents) {
    for (const std::uint32_t word : tokens_.of(document)) {
      std::uint32_t& place = place_of_[word];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(batch.keys.size());
        batch.keys.push_back(word);
      }
      batch.places.push_back(place);
    }
  }
  for (const Key word : batch.keys) place_of_[word] = kNone;
  return batch;
}

double LdaTick::draw(const LdaBatch& batch, std::span<std::uint16_t> topics, Prng& prng) {
  counts_.resize(batch.keys.size());
  for (std::size_t i = 0; i < batch.keys.size(); ++i) counts_.set_word(i, batch.words[i].value());
  counts_.set_totals(batch.totals[0].value());
  changes_.clear();
  newest_.assign(batch.keys.size(), kNone);
  double loss = 0;
  std::size_t begin = 0;
  for (const std::uint64_t document : batch.documents) {
    const std::uint64_t at = tokens_.begins[document];
    const std::size_t length = tokens_.begins[document + 1] - at;
    const auto places = std::span(batch.places).subspan(begin, length);
    const auto mine = topics.subspan(at, length);
    before_.assign(mine.begin(), mine.end());
    loss += counts_.draw_document(places, mine, prng);
    note_changes(places, mine);
    begin += length;
  }
  apply_changes(batch);
  return loss;
}

void LdaTick::note_changes(std::span<const std::uint32_t> places,
                           std::span<const std::uint16_t> topics) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (before_[i] == topics[i]) continue;
    std::uint32_t& newest = newest_[places[i]];
    changes_.push_back({before_[i], topics[i], newest});
    newest = static_cast<std::uint32_t>(changes_.size() - 1);
  }
}

void LdaTick::apply_changes(const LdaBatch& batch) {
  std::fill(total_changes_.begin(), total_changes_.end(), 0.0F);
  for (std::size_t place = 0; place < newest_.size(); ++place) {
    if (newest_[place] == kNone) continue;
    const LeasedRow row = batch.words[place];
    float* const counts = row.value().data();
    for (std::uint32_t i = newest_[place]; i != kNone; i = changes_[i].next) {
      const Change& change = changes_[i];
      if (change.from != kNoTopic) {
        counts[change.from] -= 1;
        total_changes_[change.from] -= 1;
      }
      counts[change.to] += 1;
      total_changes_[change.to] += 1;
    }
  }
  const LeasedRow row = batch.totals[0];
  for (std::size_t k = 0; k < model_.topics; ++k) row.value()[k] += total_changes_[k];
}

}  // namespace godwit
