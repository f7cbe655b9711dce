// pace/adaptive_k.h: waits for more workers once consecutive gradients point against each other
// (Pflug's test; fastest-k SGD of arXiv 2002.11005). Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "pace/pace_policy.h"

namespace godwit {

struct AdaptiveKOptions {
  std::uint32_t first_k = 1;
  std::uint32_t step_k = 1;
  std::uint32_t last_k = 1;
  std::uint32_t load = 1;
  std::int64_t threshold = 10;  // more turns than straight steps, by so many
  std::uint64_t burn_in = 200;  // steps after each change
};

// For comparison. The threshold depends on the learning rate: with a small one the test hardly ever
// fires, and where directions differ much in curvature it fires too early.
class AdaptiveK final : public PacePolicy {
 public:
  // REQUIRES: 1 <= first_k <= last_k, step_k >= 1, load >= 1.
  explicit AdaptiveK(const AdaptiveKOptions& options) : options_(options), k_(options.first_k) {
    GODWIT_CHECK(options.first_k >= 1 && options.first_k <= options.last_k);
    GODWIT_CHECK(options.step_k >= 1 && options.load >= 1);
  }

  PaceChoice choice(std::uint32_t live) const override {
    return {std::min(k_, live), options_.load};
  }
  bool wants_gradient_turn() const override { return k_ < options_.last_k; }
  void on_step(const PaceFeedback& feedback) override {
    ++steps_;
    if (!feedback.gradient_turn) return;
    turns_ += *feedback.gradient_turn < 0 ? 1 : -1;
    if (turns_ <= options_.threshold || steps_ <= options_.burn_in) return;
    if (k_ + options_.step_k > options_.last_k) return;
    k_ += options_.step_k;
    ++stage_;
    turns_ = 0;
    steps_ = 0;
  }
  std::uint32_t stage() const override { return stage_; }
  std::string_view reason() const override { return stage_ == 0 ? "start" : "gradients turn"; }

 private:
  const AdaptiveKOptions options_;
  std::uint32_t k_;
  std::uint32_t stage_ = 0;
  std::int64_t turns_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace godwit
