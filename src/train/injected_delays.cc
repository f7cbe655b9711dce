// train/injected_delays.cc: reads and draws delays, and sleeps: the one place where that is the
// point.
#include "train/injected_delays.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

using Seconds = InjectedDelays::Seconds;

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
constexpr double kTail = 1.5;  // of Pareto
constexpr Seconds kLook{0.001};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The next word; what follows it stays in `text`.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  text = trimmed(text);
  return word;
}

// "20ms", "0.5s".
std::optional<double> parse_seconds(std::string_view text) {
  double unit = 0;
  if (text.ends_with("ms")) {
    unit = 1e-3;
    text.remove_suffix(2);
  } else if (text.ends_with("us")) {
    unit = 1e-6;
    text.remove_suffix(2);
  } else if (text.ends_with("s")) {
    unit = 1;
    text.remove_suffix(1);
  }
  const auto number = parse_number<double>(text);
  if (!number || unit == 0 || !(*number >= 0) || *number * unit > 3600) return std::nullopt;
  return *number * unit;
}

}  // namespace

Result<InjectedDelays::Rule> InjectedDelays::parse_rule(std::string_view text) {
  const auto wrong = [text] {
    return invalid_argument(
        "'{}' is no delay; such are: worker 3: compute x10; all: comm exp 20ms; workers 0-3: "
        "compute const 5ms from step 100 until step 200",
        text);
  };
  Rule rule{.last_worker = kForever, .end_step = kForever};
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return wrong();
  std::string_view who = text.substr(0, colon);
  const std::string_view kind = take_word(who);
  if (kind == "worker" || kind == "workers") {
    const auto dash = who.find('-');
    const auto first = parse_number<std::int64_t>(who.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_number<std::int64_t>(who.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) return wrong();
    rule.first_worker = *first;
    rule.last_worker = *last;
  } else if (kind != "all" || !who.empty()) {
    return wrong();
  }
  std::string_view rest = text.substr(colon + 1);
  const std::string_view what = take_word(rest);
  if (what != "comm" && what != "compute") return wrong();
  rule.what = what == "comm" ? What::kComm : What::kCompute;
  const std::string_view how = take_word(rest);
  if (how.starts_with("x")) {
    const auto factor = parse_number<double>(how.substr(1));
    if (!factor || !(*factor >= 1 && *factor <= 1e6) || what == "comm") return wrong();
    rule.how = How::kTimes;
    rule.amount = *factor;
  } else {
    const auto amount = parse_seconds(take_word(rest));
    if (!amount || (how != "exp" && how != "const" && how != "pareto")) return wrong();
    rule.how = how == "exp" ? How::kExp : how == "const" ? How::kConst : How::kPareto;
    rule.amount = *amount;
  }
  while (!rest.empty()) {
    const std::string_view word = take_word(rest);
    const bool is_step = take_word(rest) == "step";
    const auto step = parse_number<std::int64_t>(take_word(rest));
    if (!is_step || !step || (word != "from" && word != "until")) return wrong();
    (word == "from" ? rule.first_step : rule.end_step) = *step;
  }
  if (rule.end_step <= rule.first_step) {
    return invalid_argument("'{}' is never: it ends before it begins", text);
  }
  return rule;
}

Result<InjectedDelays> InjectedDelays::parse(std::string_view text) {
  InjectedDelays delays;
  while (!trimmed(text).empty()) {
    const std::string_view one = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (trimmed(one).empty()) continue;
    GODWIT_TRY_ASSIGN(const Rule rule, parse_rule(trimmed(one)));
    delays.rules_.push_back(rule);
  }
  return delays;
}

Result<> InjectedDelays::check_workers(std::int64_t workers) const {
  for (const Rule& rule : rules_) {
    const std::int64_t last = rule.last_worker == kForever ? rule.first_worker : rule.last_worker;
    if (last < workers) continue;
    return invalid_argument("inject names worker {}, but this job has workers 0 to {}", last,
                            workers - 1);
  }
  return {};
}

InjectedDelays::Drawn InjectedDelays::draw(std::int64_t worker, std::int64_t step,
                                           Prng& prng) const {
  Drawn drawn;
  for (const Rule& rule : rules_) {
    const double uniform = 1 - prng.uniform();  // also if it does not apply: draws stay the same
    if (worker < rule.first_worker || worker > rule.last_worker) continue;
    if (step < rule.first_step || step >= rule.end_step) continue;
    if (rule.how == How::kTimes) {
      drawn.slowdown *= rule.amount;
      continue;
    }
    double seconds = rule.amount;
    if (rule.how == How::kExp) seconds *= -std::log(uniform);
    if (rule.how == How::kPareto) seconds *= (kTail - 1) / kTail * std::pow(uniform, -1 / kTail);
    (rule.what == What::kComm ? drawn.comm : drawn.compute) += Seconds(seconds);
  }
  return drawn;
}

Seconds wait_unless_over(Seconds time, const std::function<bool()>& is_over) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
  for (;;) {
    const Seconds left = end - std::chrono::steady_clock::now();
    if (left <= Seconds(0)) return Seconds(0);
    if (is_over()) return left;
    std::this_thread::sleep_for(std::min(left, kLook));
  }
}

}  // namespace godwit
