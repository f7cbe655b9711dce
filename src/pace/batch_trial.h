// pace/batch_trial.h: how much longer steps of another batch take, by trying some. Pure; not
// thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace godwit {

// Times that were seen while few workers are waited for say too little of how long all of them
// take: who is cut short reports late, and workers that share processors hinder each other in
// another way (eight processes on two cores: 6.3 ms foretold, 4.4 ms taken). A few steps tell.
// Medians are compared, so that one step that is held up decides nothing.
class BatchTrial {
 public:
  static constexpr std::uint32_t kSteps = 6;        // the first does not count: others still end
  static constexpr std::uint64_t kWaitFirst = 200;  // steps from one trial to the next, then twice

  // A step of the usual batch took so long.
  void note_usual(double seconds) {
    usual_[usual_count_++ % usual_.size()] = seconds;
    ++waited_;
  }
  // The usual batch is another one from now on.
  void forget_usual() { usual_count_ = 0; }

  // Whether enough is known of usual steps, and the last trial is long ago.
  bool may_begin() const { return usual_count_ >= kUsualMin && waited_ >= wait_; }
  // REQUIRES: may_begin().
  void begin() {
    left_ = kSteps;
    waited_ = 0;
    wait_ = std::max(kWaitFirst, 2 * wait_);
  }
  bool is_running() const { return left_ > 0; }
  void cancel() { left_ = 0; }

  // A step of the trial took so long. After the last one: how many times as long as usual ones.
  // REQUIRES: is_running().
  std::optional<double> note_trial(double seconds) {
    if (left_ < kSteps) tried_[left_ - 1] = seconds;
    if (--left_ > 0) return std::nullopt;
    const std::size_t known = std::min<std::size_t>(usual_count_, usual_.size());
    return median(tried_, tried_.size()) / median(usual_, known);
  }

 private:
  static constexpr std::uint64_t kUsualMin = 10;

  template <std::size_t kSize>
  static double median(std::array<double, kSize> values, std::size_t count) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(values.begin(), middle, values.begin() + static_cast<std::ptrdiff_t>(count));
    return *middle;
  }

  std::array<double, 31> usual_{};  // the latest
  std::uint64_t usual_count_ = 0;
  std::array<double, kSteps - 1> tried_{};
  std::uint32_t left_ = 0;
  std::uint64_t waited_ = 0;
  std::uint64_t wait_ = 0;
};

}  // namespace godwit
