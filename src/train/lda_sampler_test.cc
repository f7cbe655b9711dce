// train/lda_sampler_test.cc: draws against the conditional, computed plainly.
#include "train/lda_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace godwit {
namespace {

// p(topic) of a token given all other counts, straight from the definition.
std::vector<double> conditional(const LdaModel& model, const std::vector<float>& word,
                                const std::vector<float>& totals,
                                const std::vector<double>& document) {
  std::vector<double> p(model.topics);
  double sum = 0;
  for (std::size_t k = 0; k < model.topics; ++k) {
    p[k] = (document[k] + model.alpha) * (double{word[k]} + model.beta) /
           (double{totals[k]} + double{model.beta} * static_cast<double>(model.words));
    sum += p[k];
  }
  for (double& one : p) one /= sum;
  return p;
}

TEST(LdaSampler, DrawsByTheConditionalOfAllOtherTokens) {
  for (const std::size_t topics : {2U, 5U, 16U, 37U}) {
    const LdaModel model{.topics = topics, .words = 3, .alpha = 0.3F, .beta = 0.2F};
    std::vector<float> word(topics);
    std::vector<float> totals(topics);
    for (std::size_t k = 0; k < topics; ++k) {
      word[k] = static_cast<float>((k * 7 + 2) % 5);
      totals[k] = word[k] + static_cast<float>((k * 3) % 11);
    }
    // The other tokens of the document are of a second word and keep no place here: the first is
    // drawn before they change.
    std::vector<double> document(topics);
    document[1] = 2;
    word[0] += 1;
    totals[0] += 1;
    const std::vector<std::uint16_t> before{0, 1, 1};
    const std::vector<std::uint32_t> places{0, 1, 1};
    std::vector<float> others = word;
    std::vector<float> other_totals = totals;
    others[0] -= 1;
    other_totals[0] -= 1;
    const std::vector<double> expected = conditional(model, others, other_totals, document);
    Prng prng(5);
    constexpr int kDraws = 60'000;
    std::vector<double> drawn(topics);
    LdaCounts counts(model);
    counts.resize(2);
    for (int i = 0; i < kDraws; ++i) {
      counts.set_word(0, word);
      counts.set_word(1, word);
      counts.set_totals(totals);
      std::vector<std::uint16_t> now = before;
      counts.draw_document(places, now, prng);
      drawn[now[0]] += 1;
    }
    double chi_square = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      const double mean = expected[k] * kDraws;
      chi_square += (drawn[k] - mean) * (drawn[k] - mean) / mean;
    }
    const auto freedom = static_cast<double>(topics - 1);
    EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom)) << topics << " topics";
  }
}

TEST(LdaSampler, LossOfANewTokenIsWhatTheModelGivesItBefore) {
  const LdaModel model{.topics = 3, .words = 4, .alpha = 0.5F, .beta = 0.1F};
  const std::vector<float> word{3, 0, 1};
  const std::vector<float> totals{5, 2, 9};
  LdaCounts counts(model);
  counts.resize(1);
  counts.set_word(0, word);
  counts.set_totals(totals);
  const std::vector<std::uint32_t> places{0};
  std::vector<std::uint16_t> topics{kNoTopic};
  Prng prng(1);
  const double loss = counts.draw_document(places, topics, prng);
  const std::vector<float> empty(3);
  EXPECT_NEAR(-loss, lda_log_probability(model, word, totals, empty, 0), 1e-6);
  EXPECT_LT(topics[0], 3);
}

TEST(LdaSampler, ProbabilitiesOfAllWordsSumToOne) {
  const LdaModel model{.topics = 2, .words = 3, .alpha = 0.5F, .beta = 0.1F};
  const std::vector<std::vector<float>> words{{3, 0}, {1, 4}, {0, 2}};
  const std::vector<float> totals{4, 6};
  const std::vector<float> document{2, 1};
  double sum = 0;
  for (const auto& word : words) {
    sum += std::exp(lda_log_probability(model, word, totals, document, 3));
  }
  EXPECT_NEAR(sum, 1, 1e-6);
}

}  // namespace
}  // namespace godwit
