// store/rule.cc: the rules' parameters: text, ranges, sizes. Their arithmetic is row_kernels.cc.
#include "godwit/rule.h"

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::array kRuleNames = {"add", "sgd", "momentum", "adagrad", "adam", "elastic", "outer"};
constexpr const char* kKnownRules = "add, sgd, momentum, adagrad, adam, elastic, outer";

struct Parameter {
  const char* name;
  float Rule::*field;
};

// The parameters a kind has, in the order in which they are printed.
std::vector<Parameter> parameters_of(RuleKind kind) {
  const Parameter lr{"lr", &Rule::learning_rate};
  const Parameter eps{"eps", &Rule::epsilon};
  switch (kind) {
    case RuleKind::kAdd:
      return {};
    case RuleKind::kSgd:
      return {lr};
    case RuleKind::kMomentum:
      return {lr, {"mu", &Rule::mu}};
    case RuleKind::kAdagrad:
      return {lr, eps};
    case RuleKind::kAdam:
      return {lr, {"beta1", &Rule::beta1}, {"beta2", &Rule::beta2}, eps};
    case RuleKind::kElastic:
      return {{"beta", &Rule::learning_rate}};
    case RuleKind::kOuter:
      return {lr, {"mu", &Rule::mu}};
  }
  return {};
}

std::string known_parameters(RuleKind kind) {
  std::string names;
  for (const Parameter& parameter : parameters_of(kind)) {
    names += names.empty() ? parameter.name : std::string(", ") + parameter.name;
  }
  return names.empty() ? "none" : names;
}

std::optional<Rule> default_rule(std::string_view name) {
  // NaN marks what the text must give.
  const float required = std::nanf("");
  if (name == "add") return Rule::add();
  if (name == "sgd") return Rule::sgd(required);
  if (name == "momentum") return Rule::momentum(required);
  if (name == "adagrad") return Rule::adagrad(required);
  if (name == "adam") return Rule::adam(required);
  if (name == "elastic") return Rule::elastic();
  if (name == "outer") return Rule::outer(required);
  return std::nullopt;
}

Result<> set_parameter(Rule& rule, std::string_view assignment, std::string_view rule_name) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  for (const Parameter& parameter : parameters_of(rule.kind)) {
    if (name != parameter.name) continue;
    const auto number = equals == std::string_view::npos
                            ? std::nullopt
                            : parse_number<float>(assignment.substr(equals + 1));
    if (!number) {
      return invalid_argument("rule '{}': '{}' is not of the form name=number", rule_name,
                              assignment);
    }
    rule.*parameter.field = *number;
    return {};
  }
  return invalid_argument("rule '{}' has no parameter '{}' (known: {})", rule_name, name,
                          known_parameters(rule.kind));
}

}  // namespace

Rule Rule::add() {
  return {};
}

Rule Rule::sgd(float learning_rate) {
  return {.kind = RuleKind::kSgd, .learning_rate = learning_rate};
}

Rule Rule::momentum(float learning_rate, float mu) {
  return {.kind = RuleKind::kMomentum, .learning_rate = learning_rate, .mu = mu};
}

Rule Rule::adagrad(float learning_rate, float epsilon) {
  return {.kind = RuleKind::kAdagrad, .learning_rate = learning_rate, .epsilon = epsilon};
}

Rule Rule::adam(float learning_rate, float beta1, float beta2, float epsilon) {
  return {.kind = RuleKind::kAdam,
          .learning_rate = learning_rate,
          .beta1 = beta1,
          .beta2 = beta2,
          .epsilon = epsilon};
}

Rule Rule::elastic(float beta) {
  return {.kind = RuleKind::kElastic, .learning_rate = beta};
}

Rule Rule::outer(float learning_rate, float mu) {
  return {.kind = RuleKind::kOuter, .learning_rate = learning_rate, .mu = mu};
}

Result<Rule> Rule::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::optional<Rule> rule = default_rule(name);
  if (!rule) return invalid_argument("unknown rule '{}' (known: {})", name, kKnownRules);
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    GODWIT_TRY(set_parameter(*rule, rest.substr(0, comma), name));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  if (std::isnan(rule->learning_rate)) {
    return invalid_argument("rule '{}' needs its learning rate, as in '{}:lr=0.1'", name, name);
  }
  GODWIT_TRY(rule->validate());
  return *rule;
}

bool Rule::additive() const {
  return kind == RuleKind::kAdd || kind == RuleKind::kSgd || kind == RuleKind::kAdagrad;
}

std::uint64_t Rule::state_length(std::uint64_t row_length) const {
  switch (kind) {
    case RuleKind::kAdd:
    case RuleKind::kSgd:
    case RuleKind::kElastic:
      return 0;
    case RuleKind::kMomentum:
    case RuleKind::kAdagrad:
    case RuleKind::kOuter:
      return row_length;
    case RuleKind::kAdam:
      return 2 * row_length + 1;
  }
  return 0;
}

Result<> Rule::validate() const {
  if (static_cast<std::size_t>(kind) >= kRuleNames.size()) {
    return invalid_argument("rule: unknown kind {} (known: {})", static_cast<int>(kind),
                            kKnownRules);
  }
  const char* name = kRuleNames[static_cast<std::size_t>(kind)];
  for (const Parameter& parameter : parameters_of(kind)) {
    const float value = this->*parameter.field;
    const bool is_share = parameter.field == &Rule::mu || parameter.field == &Rule::beta1 ||
                          parameter.field == &Rule::beta2;
    if (!std::isfinite(value) || value < 0 || (is_share && value >= 1)) {
      return invalid_argument("rule '{}': {} is {}, but must be {}", name, parameter.name, value,
                              is_share ? "in [0, 1)" : "finite and not negative");
    }
  }
  return {};
}

std::string to_string(const Rule& rule) {
  std::string text = kRuleNames[static_cast<std::size_t>(rule.kind)];
  char separator = ':';
  for (const Parameter& parameter : parameters_of(rule.kind)) {
    text += fmt::format("{}{}={}", separator, parameter.name, rule.*parameter.field);
    separator = ',';
  }
  return text;
}

}  // namespace godwit
