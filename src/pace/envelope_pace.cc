// pace/envelope_pace.cc: the bound, step by step.
#include "pace/envelope_pace.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace godwit {
namespace {

double noise_of(const BoundConstants& constants) {
  return constants.learning_rate * constants.smoothness * constants.sample_variance /
         (2 * constants.convexity);
}

}  // namespace

EnvelopePace::EnvelopePace(std::vector<TimedChoice> choices, const BoundConstants& constants)
    : envelope_(std::move(choices), noise_of(constants)),
      shrink_(1 - constants.learning_rate * constants.convexity),
      error_(constants.first_error) {
  GODWIT_CHECK(shrink_ > 0 && shrink_ < 1);
  GODWIT_CHECK_GT(error_, 0.0);
  while (error_ <= envelope_.parts()[stage_].until) ++stage_;
}

PaceChoice EnvelopePace::choice(std::uint32_t live) const {
  const PaceChoice& wanted = envelope_.parts()[stage_].timed.choice;
  return {std::min(wanted.k, live), wanted.load};
}

void EnvelopePace::on_step(const PaceFeedback& /*feedback*/) {
  const double floor = envelope_.floor(envelope_.parts()[stage_].timed.choice);
  error_ = floor + shrink_ * (error_ - floor);
  while (stage_ + 1 < envelope_.parts().size() && error_ <= envelope_.parts()[stage_].until) {
    ++stage_;
  }
}

std::optional<double> EnvelopePace::predicted_seconds() const {
  return envelope_.parts()[stage_].timed.seconds;
}

}  // namespace godwit
