// pace/envelope_pace.h: k and load by the error bound of strongly convex problems, if its constants
// are known. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pace/envelope.h"
#include "pace/pace_policy.h"

namespace godwit {

struct BoundConstants {
  double learning_rate = 0;
  double smoothness = 0;       // L
  double convexity = 0;        // c
  double sample_variance = 0;  // of a sample's gradient: sigma^2
  double first_error = 0;      // F(w_0) - F*
};

// Follows the bound e <- f + (1 - eta c)(e - f) with f = eta L sigma^2 / (2 c k load), not what is
// learned. For comparison: constants of the worst case make it 1.6-1.8 times slower than one that
// knows the error.
class EnvelopePace final : public PacePolicy {
 public:
  // REQUIRES: constants > 0, learning_rate * convexity < 1; choices as Envelope requires.
  EnvelopePace(std::vector<TimedChoice> choices, const BoundConstants& constants);

  PaceChoice choice(std::uint32_t live) const override;
  void on_step(const PaceFeedback& feedback) override;
  std::uint32_t stage() const override { return stage_; }
  std::string_view reason() const override { return "bound"; }
  std::optional<double> predicted_seconds() const override;

  double error() const { return error_; }  // as the bound has it
  const Envelope& envelope() const { return envelope_; }

 private:
  Envelope envelope_;
  double shrink_;
  double error_;
  std::uint32_t stage_ = 0;
};

}  // namespace godwit
