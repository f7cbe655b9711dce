// sim/oracle_pace.h: the best k and load if the true error and the true times are known. What
// nobody can be in reality; what others are measured against. Pure; not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "pace/envelope.h"
#include "pace/pace_policy.h"

namespace godwit::sim {

class OraclePace final : public PacePolicy {
 public:
  // `noise`: a batch of B ends at the error noise / B.
  OraclePace(std::vector<TimedChoice> choices, double noise)
      : envelope_(std::move(choices), noise) {}

  // The error at which the next step begins. It only goes on: an error that rises is chance.
  void see(double error) {
    while (stage_ + 1 < envelope_.parts().size() && error <= envelope_.parts()[stage_].until) {
      ++stage_;
    }
  }

  PaceChoice choice(std::uint32_t live) const override {
    const PaceChoice& best = envelope_.parts()[stage_].timed.choice;
    return {std::min(best.k, live), best.load};
  }
  void on_step(const PaceFeedback& /*feedback*/) override {}
  std::uint32_t stage() const override { return stage_; }
  std::string_view reason() const override { return "oracle"; }
  std::optional<double> predicted_seconds() const override {
    return envelope_.parts()[stage_].timed.seconds;
  }

 private:
  Envelope envelope_;
  std::uint32_t stage_ = 0;
};

}  // namespace godwit::sim
