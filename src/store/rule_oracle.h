// store/rule_oracle.h: the rules in plain scalar code, to test the SIMD kernels against.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "godwit/rule.h"

namespace godwit {

struct OracleRow {
  std::vector<float> value;
  std::vector<float> state;
};

inline void oracle_push(const Rule& rule, OracleRow& row, std::span<const float> gradient) {
  const std::size_t n = row.value.size();
  const bool is_adam = rule.kind == RuleKind::kAdam;
  if (is_adam) row.state[2 * n] = std::min(row.state[2 * n] + 1, 0x1p24F);
  const float steps = is_adam ? row.state[2 * n] : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float g = gradient[i];
    float& v = row.value[i];
    switch (rule.kind) {
      case RuleKind::kAdd:
        v += g;
        break;
      case RuleKind::kSgd:
        v -= rule.learning_rate * g;
        break;
      case RuleKind::kMomentum:
        row.state[i] = rule.mu * row.state[i] + g;
        v -= rule.learning_rate * row.state[i];
        break;
      case RuleKind::kAdagrad: {
        row.state[i] += g * g;
        const float divisor = std::sqrt(row.state[i]) + rule.epsilon;
        if (divisor > 0) v -= rule.learning_rate * g / divisor;
        break;
      }
      case RuleKind::kAdam: {
        float& m = row.state[i];
        float& s = row.state[n + i];
        m = rule.beta1 * m + (1 - rule.beta1) * g;
        s = rule.beta2 * s + (1 - rule.beta2) * (g * g);
        const float correct1 = 1 / (1 - std::pow(rule.beta1, steps));
        const float correct2 = 1 / (1 - std::pow(rule.beta2, steps));
        const float divisor = std::sqrt(s * correct2) + rule.epsilon;
        if (divisor > 0) v -= m * (rule.learning_rate * correct1) / divisor;
        break;
      }
      case RuleKind::kElastic:
        v += rule.learning_rate * (g - v);
        break;
      case RuleKind::kOuter: {
        const float apart = g - v;
        row.state[i] = rule.mu * row.state[i] + apart;
        v += rule.learning_rate * (apart + rule.mu * row.state[i]);
        break;
      }
    }
  }
}

}  // namespace godwit
