// data/generated.cc: one table of keys per kind.
#include "data/generated.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "data/line_reader.h"

namespace godwit {

namespace {

constexpr std::string_view kPrefix = "generated:";

using Field = std::variant<std::uint32_t*, std::uint64_t*, double*>;
using Fields = std::vector<std::pair<std::string, Field>>;

Fields fields_of(LowRankSpec& s) {
  return {{"rows", &s.rows},       {"columns", &s.columns},   {"rank", &s.rank},
          {"ratings", &s.ratings}, {"held_out", &s.held_out}, {"noise", &s.noise},
          {"seed", &s.seed},       {"zipf", &s.zipf},         {"mean", &s.mean},
          {"biases", &s.biases}};
}

Fields fields_of(ZipfGraphSpec& s) {
  return {{"entities", &s.entities}, {"relations", &s.relations},
          {"blocks", &s.blocks},     {"triples", &s.triples},
          {"held_out", &s.held_out}, {"zipf", &s.zipf},
          {"noise", &s.noise},       {"seed", &s.seed}};
}

Fields fields_of(PlantedCtrSpec& s) {
  return {{"rows", &s.rows}, {"held_out", &s.held_out}, {"fields", &s.fields},
          {"zipf", &s.zipf}, {"signal", &s.signal},     {"values_max", &s.values_max},
          {"rate", &s.rate}, {"seed", &s.seed}};
}

Fields fields_of(SparseLinearSpec& s) {
  return {{"rows", &s.rows},       {"held_out", &s.held_out}, {"features", &s.features},
          {"per_row", &s.per_row}, {"support", &s.support},   {"weight", &s.weight},
          {"noise", &s.noise},     {"seed", &s.seed}};
}

// A number such as 1000000, or 1e6 where a whole number is meant.
template <class Number>
bool set_number(std::string_view text, Number& number) {
  if (const auto parsed = parse_number<Number>(text)) {
    number = *parsed;
    return true;
  }
  if constexpr (std::is_integral_v<Number>) {
    const auto parsed = parse_number<double>(text);
    constexpr double kMax = sizeof(Number) == 4 ? 4294967295.0 : 9007199254740992.0;
    if (!parsed || !(*parsed >= 0) || !(*parsed <= kMax)) return false;
    number = static_cast<Number>(*parsed);
    return static_cast<double>(number) == *parsed;
  }
  return false;
}

Result<> assign(std::string_view kind, const Fields& fields, std::string_view setting,
                std::vector<std::string>& set_before) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos) {
    return invalid_argument("'{}' in {}{}: expected key=value", shown(setting), kPrefix, kind);
  }
  const std::string key(setting.substr(0, equals));
  const std::string_view text = setting.substr(equals + 1);
  const auto field = std::ranges::find(fields, key, &Fields::value_type::first);
  if (field == fields.end()) {
    std::vector<std::string> names;
    for (const auto& [name, unused] : fields) names.push_back(name);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return invalid_argument("{}{} has no key '{}'{}: its keys are {}", kPrefix, kind, shown(key),
                            did_you_mean(key, names), all);
  }
  if (std::ranges::find(set_before, key) != set_before.end()) {
    return invalid_argument("{}{} has the key '{}' twice", kPrefix, kind, key);
  }
  set_before.push_back(key);
  const bool ok =
      std::visit([&](auto* number) { return set_number(text, *number); }, field->second);
  if (!ok) {
    const bool whole = !std::holds_alternative<double*>(field->second);
    return invalid_argument("{} is '{}', but must be a {}", key, shown(text),
                            whole ? "whole number" : "number");
  }
  return {};
}

template <class Spec>
Result<GeneratedSpec> parse_spec(std::string_view kind, std::string_view settings) {
  Spec spec;
  const Fields fields = fields_of(spec);
  std::vector<std::string> set_before;
  while (!settings.empty()) {
    const std::size_t comma = std::min(settings.find(','), settings.size());
    GODWIT_TRY(assign(kind, fields, settings.substr(0, comma), set_before));
    settings.remove_prefix(std::min(comma + 1, settings.size()));
  }
  GODWIT_TRY(spec.validate());
  return GeneratedSpec(spec);
}

}  // namespace

Result<GeneratedSpec> parse_generated(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with(kPrefix)) rest.remove_prefix(kPrefix.size());
  const std::size_t comma = std::min(rest.find(','), rest.size());
  const std::string_view kind = rest.substr(0, comma);
  rest.remove_prefix(std::min(comma + 1, rest.size()));
  if (kind == "lowrank") return parse_spec<LowRankSpec>(kind, rest);
  if (kind == "graph") return parse_spec<ZipfGraphSpec>(kind, rest);
  if (kind == "ctr") return parse_spec<PlantedCtrSpec>(kind, rest);
  if (kind == "linear") return parse_spec<SparseLinearSpec>(kind, rest);
  const std::vector<std::string> kinds = {"lowrank", "graph", "ctr", "linear"};
  return invalid_argument(
      "'{}' cannot be generated{}: kinds are lowrank (ratings), graph "
      "(triples), ctr (clicks), linear (numbers)",
      shown(kind), did_you_mean(kind, kinds));
}

}  // namespace godwit
