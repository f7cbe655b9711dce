// pace/envelope.cc: the upper envelope of lines, as a convex hull.
#include "pace/envelope.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace godwit {
namespace {

// In units of the noise, so that the sequence cannot depend on it.
double unit_floor(const TimedChoice& timed) {
  return 1 / static_cast<double>(timed.choice.batch());
}

// Where the slower `to` overtakes `from` as the error falls.
double crossing(const TimedChoice& from, const TimedChoice& to) {
  return (unit_floor(from) * to.seconds - unit_floor(to) * from.seconds) /
         (to.seconds - from.seconds);
}

}  // namespace

std::vector<TimedChoice> timed_choices(const TimingTable& table) {
  GODWIT_CHECK_GE(table.live(), 1U);
  std::vector<TimedChoice> choices;
  for (std::size_t rung = 0; rung < table.ladder().size(); ++rung) {
    for (std::uint32_t k = 1; k <= table.live(); ++k) {
      choices.push_back({{k, table.ladder()[rung]}, table.mu(k, rung)});
    }
  }
  return choices;
}

Envelope::Envelope(std::vector<TimedChoice> choices, double noise) : noise_(noise) {
  GODWIT_CHECK(!choices.empty());
  GODWIT_CHECK_GT(noise, 0.0);
  // Of equal times the largest batch, of equal batches the smallest load: it computes least.
  std::ranges::sort(choices, [](const TimedChoice& a, const TimedChoice& b) {
    return std::tuple(a.seconds, b.choice.batch(), a.choice.load) <
           std::tuple(b.seconds, a.choice.batch(), b.choice.load);
  });
  GODWIT_CHECK_GT(choices.front().seconds, 0.0);
  for (const TimedChoice& next : choices) {
    if (!parts_.empty() && unit_floor(next) >= unit_floor(parts_.back().timed)) continue;
    // Who is overtaken by the next one before it was the best itself never is.
    while (parts_.size() > 1 &&
           crossing(parts_.back().timed, next) >= parts_[parts_.size() - 2].until) {
      parts_.pop_back();
    }
    if (!parts_.empty()) parts_.back().until = crossing(parts_.back().timed, next);
    parts_.push_back({next, 0});
  }
  for (Part& part : parts_) part.until *= noise_;
}

const Envelope::Part& Envelope::at(double error) const {
  const auto part = std::ranges::find_if(parts_, [&](const Part& p) { return error > p.until; });
  return part == parts_.end() ? parts_.back() : *part;
}

double Envelope::floor(const PaceChoice& choice) const {
  return noise_ / static_cast<double>(choice.batch());
}

}  // namespace godwit
