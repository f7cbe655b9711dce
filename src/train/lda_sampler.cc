// train/lda_sampler.cc: weights of all topics by whole vectors, compiled once per instruction set
// by Highway's foreach_target. Sums run along lanes: a draw finds its lane, then its place there.
#include "train/lda_sampler.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/lda_sampler.cc"
#include <hwy/foreach_target.h>  // NOLINT: must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace godwit {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// stride() is of whole vectors of this.
using Lanes = hn::CappedTag<float, 16>;

// The sums of weights, by lanes in `running`; the last vector's are all of a lane.
HWY_INLINE void add_weights(const LdaCounts::Arrays& arrays, const float* word) {
  const Lanes d;
  auto sums = hn::Zero(d);
  for (std::size_t i = 0; i < arrays.stride; i += hn::Lanes(d)) {
    const auto left = hn::Mul(hn::LoadU(d, word + i), hn::LoadU(d, arrays.inverse + i));
    sums = hn::MulAdd(left, hn::LoadU(d, arrays.document + i), sums);
    hn::StoreU(sums, d, arrays.running + i);
  }
}

// Finds a topic by a number in [0, 1); `all` becomes the sum of all weights.
HWY_INLINE std::size_t find_topic(const LdaCounts::Arrays& arrays, float where, float& all) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d);
  const float* const ends = arrays.running + arrays.stride - lanes;
  all = hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, ends)));
  float left = where * all;
  std::size_t lane = 0;
  for (; lane + 1 < lanes && left >= ends[lane]; ++lane) left -= ends[lane];
  std::size_t topic = lane;
  while (topic < arrays.model.topics && arrays.running[topic] <= left) topic += lanes;
  if (topic < arrays.model.topics) return topic;
  // Sums of floats round: what lies beyond all is given to the last of the lane, or of all.
  topic -= lanes;
  return topic < arrays.model.topics ? topic : arrays.model.topics - 1;
}

double draw_document_simd(const LdaCounts::Arrays& arrays, std::span<const std::uint32_t> places,
                          std::span<std::uint16_t> topics, Prng& prng) {
  const LdaModel& model = arrays.model;
  const float first_total = model.beta * static_cast<float>(model.words);
  std::fill_n(arrays.document, model.topics, model.alpha);
  std::size_t length = 0;
  for (const std::uint16_t topic : topics) {
    if (topic == kNoTopic) continue;
    arrays.document[topic] += 1;
    ++length;
  }
  double loss = 0;
  double product = 1;
  const double alphas = double{model.alpha} * static_cast<double>(model.topics);
  for (std::size_t i = 0; i < topics.size(); ++i) {
    float* const word = arrays.words + places[i] * arrays.stride;
    const std::size_t old = topics[i];
    if (old != kNoTopic) {
      // Copies may be older than this token's own count: none falls below nothing.
      word[old] = std::max(word[old] - 1, model.beta);
      arrays.document[old] -= 1;
      arrays.totals[old] = std::max(arrays.totals[old] - 1, first_total);
      arrays.inverse[old] = 1 / arrays.totals[old];
      --length;
    }
    add_weights(arrays, word);
    float all = 0;
    const std::size_t topic = find_topic(arrays, prng.uniform_float(), all);
    word[topic] += 1;
    arrays.document[topic] += 1;
    arrays.totals[topic] += 1;
    arrays.inverse[topic] = 1 / arrays.totals[topic];
    topics[i] = static_cast<std::uint16_t>(topic);
    product *= double{all} / (static_cast<double>(length) + alphas);
    ++length;
    if (product < 1e-200) {
      loss -= std::log(product);
      product = 1;
    }
  }
  return loss - std::log(product);
}

}  // namespace HWY_NAMESPACE
}  // namespace godwit
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace godwit {

HWY_EXPORT(draw_document_simd);

LdaCounts::LdaCounts(const LdaModel& model)
    : model_(model),
      stride_(model.stride()),
      totals_(stride_, 1),
      inverse_(stride_),
      document_(stride_),
      running_(stride_) {}

void LdaCounts::set_word(std::size_t place, std::span<const float> counts) {
  float* const row = &words_[place * stride_];
  for (std::size_t k = 0; k < model_.topics; ++k) row[k] = std::max(0.0F, counts[k]) + model_.beta;
  std::fill(row + model_.topics, row + stride_, 0.0F);
}

void LdaCounts::set_totals(std::span<const float> counts) {
  const float first = model_.beta * static_cast<float>(model_.words);
  for (std::size_t k = 0; k < model_.topics; ++k) {
    totals_[k] = std::max(0.0F, counts[k]) + first;
    inverse_[k] = 1 / totals_[k];
  }
}

double LdaCounts::draw_document(std::span<const std::uint32_t> places,
                                std::span<std::uint16_t> topics, Prng& prng) {
  const Arrays arrays{.model = model_,
                      .stride = stride_,
                      .words = words_.data(),
                      .totals = totals_.data(),
                      .inverse = inverse_.data(),
                      .document = document_.data(),
                      .running = running_.data()};
  return HWY_DYNAMIC_DISPATCH(draw_document_simd)(arrays, places, topics, prng);
}

double lda_log_probability(const LdaModel& model, std::span<const float> word,
                           std::span<const float> totals, std::span<const float> document,
                           double length) {
  double sum = 0;
  const double all_beta = double{model.beta} * static_cast<double>(model.words);
  for (std::size_t k = 0; k < model.topics; ++k) {
    sum += (double{document[k]} + double{model.alpha}) * (double{word[k]} + double{model.beta}) /
           (double{totals[k]} + all_beta);
  }
  return std::log(sum / (length + double{model.alpha} * static_cast<double>(model.topics)));
}

}  // namespace godwit
#endif  // HWY_ONCE
