// group/stream_choice.cc: the way whose best recent call was shorter.
#include "group/stream_choice.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace godwit {

double StreamChoice::Recent::best() const {
  GODWIT_CHECK_GT(count_, 0U);
  const auto end = costs_.begin() + static_cast<std::ptrdiff_t>(std::min(count_, costs_.size()));
  return *std::min_element(costs_.begin(), end);
}

bool StreamChoice::streams(const Kind& kind) {
  const auto size = static_cast<std::size_t>(std::bit_width(kind.bytes));
  current_ = &states_[{static_cast<std::size_t>(kind.verb), size, kind.copies}];
  current_bytes_ = static_cast<double>(kind.bytes);
  const std::uint64_t call = current_->calls;
  if (call <= kTrialCalls) {
    current_streams_ = call % 2 == 0;
  } else {
    const bool is_better = current_->ways[1].best() < current_->ways[0].best();
    current_streams_ = (call % kRetryEvery == 0) != is_better;
  }
  return current_streams_;
}

void StreamChoice::note(double seconds) {
  GODWIT_CHECK(current_ != nullptr);
  if (current_->calls++ > 0) {
    current_->ways[current_streams_ ? 1 : 0].add(seconds / current_bytes_);
  }
  current_ = nullptr;
}

}  // namespace godwit
