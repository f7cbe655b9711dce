// godwit/rule.h: how a pushed gradient changes a row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "godwit/result.h"

namespace godwit {

enum class RuleKind : std::uint8_t { kAdd, kSgd, kMomentum, kAdagrad, kAdam, kElastic, kOuter };

// One rule for all rows of a table. Made by the functions below, which name what each kind uses;
// g is the pushed gradient, v the row's value, the rest is state kept with the row.
struct Rule {
  RuleKind kind = RuleKind::kAdd;
  float learning_rate = 0;  // elastic: beta
  float mu = 0;
  float beta1 = 0;
  float beta2 = 0;
  float epsilon = 0;

  // v += g. The push is a plain sum; what counters and hand-written optimizers use.
  static Rule add();
  // v -= lr * g.
  static Rule sgd(float learning_rate);
  // m = mu * m + g; v -= lr * m. State: m.
  static Rule momentum(float learning_rate, float mu = 0.9F);
  // a += g^2; v -= lr * g / (sqrt(a) + eps). State: a.
  static Rule adagrad(float learning_rate, float epsilon = 1e-10F);
  // Adam with bias correction by the row's own step count. State: first and second moment, steps.
  static Rule adam(float learning_rate, float beta1 = 0.9F, float beta2 = 0.999F,
                   float epsilon = 1e-8F);

  // For parameters w that groups exchange (godwit/groups.h); a push carries w as g.
  // v += beta * (g - v); an exchange uses beta / live groups.
  static Rule elastic(float beta = 0.9F);
  // d = g - v; m = mu * m + d; v += lr * (d + mu * m). State: m.
  static Rule outer(float learning_rate, float mu = 0.9F);

  // "add", "sgd:lr=0.1", "momentum:lr=0.1,mu=0.9", "adagrad:lr=0.1,eps=1e-10",
  // "adam:lr=0.001,beta1=0.9,beta2=0.999,eps=1e-8", "elastic:beta=0.9", "outer:lr=0.7,mu=0.9".
  // Parameters left out take their defaults, `lr` must be given. An unknown rule or parameter is
  // kInvalidArgument naming the known ones.
  static Result<Rule> parse(std::string_view text);

  // True iff changes made on several copies of a row merge as sums of value and state, so that
  // copies may be written to independently.
  bool additive() const;

  // Floats of state a row of `row_length` values carries.
  std::uint64_t state_length(std::uint64_t row_length) const;

  // Fails with kInvalidArgument if a parameter is out of its range or not finite.
  Result<> validate() const;

  friend bool operator==(const Rule&, const Rule&) = default;
};

std::string to_string(const Rule& rule);

}  // namespace godwit
