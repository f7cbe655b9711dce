// pace/fixed_pace.h: always the same k and load. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "pace/pace_policy.h"

namespace godwit {

class FixedPace final : public PacePolicy {
 public:
  // A k beyond the live workers means all of them. REQUIRES: k >= 1, load >= 1.
  explicit FixedPace(const PaceChoice& choice) : choice_(choice) {
    GODWIT_CHECK_GE(choice.k, 1U);
    GODWIT_CHECK_GE(choice.load, 1U);
  }

  PaceChoice choice(std::uint32_t live) const override {
    return {std::min(choice_.k, live), choice_.load};
  }
  void on_step(const PaceFeedback& /*feedback*/) override {}
  std::string_view reason() const override { return "fixed"; }

 private:
  PaceChoice choice_;
};

}  // namespace godwit
