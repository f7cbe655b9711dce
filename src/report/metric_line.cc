// report/metric_line.cc: written and read through the JSON library, so that numbers come back with
// the same bits and text in any language stays readable.
#include "report/metric_line.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace godwit {
namespace {

using Json = nlohmann::ordered_json;

const MetricValue* find(const MetricLine& line, std::string_view name) {
  const auto found =
      std::ranges::find_if(line.fields, [name](const auto& field) { return field.first == name; });
  return found == line.fields.end() ? nullptr : &found->second;
}

// Nothing for arrays and objects.
std::optional<MetricValue> value_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
      return std::numeric_limits<double>::quiet_NaN();
    case Json::value_t::boolean:
      return json.get<bool>();
    case Json::value_t::string:
      return json.get<std::string>();
    case Json::value_t::number_float:
      return json.get<double>();
    case Json::value_t::number_integer:
      return json.get<std::int64_t>();
    case Json::value_t::number_unsigned: {
      const auto number = json.get<std::uint64_t>();
      if (number > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        return static_cast<double>(number);
      }
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

MetricLine& MetricLine::add_value(std::string name, MetricValue value) {
  fields.emplace_back(std::move(name), std::move(value));
  return *this;
}

MetricLine& MetricLine::add(std::string name, std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return add_value(std::move(name), static_cast<std::int64_t>(std::min(value, kMost)));
}

std::optional<double> MetricLine::number(std::string_view name) const {
  const MetricValue* value = find(*this, name);
  if (value == nullptr) return std::nullopt;
  if (const auto* real = std::get_if<double>(value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  if (const auto* yes = std::get_if<bool>(value)) return *yes ? 1.0 : 0.0;
  return std::nullopt;
}

std::string_view MetricLine::text(std::string_view name) const {
  const MetricValue* value = find(*this, name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::string MetricLine::to_json() const {
  Json object = Json::object();
  for (const auto& [name, value] : fields) {
    std::visit([&, key = name](const auto& of) { object[key] = of; }, value);
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<MetricLine> parse_metric_line(std::string_view line) {
  try {
    const Json object = Json::parse(line);
    if (!object.is_object()) return corruption("not a JSON object: '{}'", line.substr(0, 80));
    MetricLine parsed;
    for (const auto& [name, json] : object.items()) {
      if (std::optional<MetricValue> value = value_of(json)) {
        parsed.fields.emplace_back(name, std::move(*value));
      }
    }
    return parsed;
  } catch (const Json::exception& failure) {
    return corruption("not a line of metrics: '{}': {}", line.substr(0, 80), failure.what());
  }
}

}  // namespace godwit
