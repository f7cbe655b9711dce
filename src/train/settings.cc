// train/settings.cc: values are kept as texts that were checked when they were set.
#include "train/settings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/parse_number.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::string_view kAuto = "auto";

bool may_be_auto(const Setting& setting) {
  return setting.doc.starts_with(kAuto);
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Result<> check_range(const Setting& setting, double number, std::string_view value) {
  if (number >= setting.min && number <= setting.max) return {};
  return invalid_argument("{} is {}, but must be between {} and {}", setting.name, value,
                          setting.min, setting.max);
}

Result<> check(const Setting& setting, std::string_view value) {
  if (value == kAuto && may_be_auto(setting)) return {};
  switch (setting.kind) {
    case Setting::Kind::kCount: {
      const auto count = parse_number<std::int64_t>(value);
      if (!count) return invalid_argument("{} is '{}', not a whole number", setting.name, value);
      return check_range(setting, static_cast<double>(*count), value);
    }
    case Setting::Kind::kNumber: {
      const auto number = parse_number<double>(value);
      if (!number || !std::isfinite(*number)) {
        return invalid_argument("{} is '{}', not a number", setting.name, value);
      }
      return check_range(setting, *number, value);
    }
    case Setting::Kind::kFlag:
      if (value == "true" || value == "false") return {};
      return invalid_argument("{} is '{}', but must be true or false", setting.name, value);
    case Setting::Kind::kText: {
      const auto& choices = setting.choices;
      if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
        return {};
      }
      return invalid_argument("{} is '{}', but must be one of: {}", setting.name, value,
                              join(choices));
    }
  }
  return {};
}

}  // namespace

std::string_view to_string(SettingSource source) {
  switch (source) {
    case SettingSource::kBuiltIn:
      return "built-in";
    case SettingSource::kUserFile:
      return "godwit.toml";
    case SettingSource::kFile:
      return "--config";
    case SettingSource::kRun:
      return "run";
    case SettingSource::kEnvironment:
      return "environment";
    case SettingSource::kFlag:
      return "flag";
  }
  return "?";
}

std::string_view origin_of(const Setting& setting) {
  return setting.was_auto ? kAuto : to_string(setting.source);
}

std::string meaning_of(const Setting& setting) {
  if (setting.choices.empty()) return setting.doc;
  return setting.doc + ": " + join(setting.choices);
}

void Settings::add(Setting setting) {
  GODWIT_CHECK(std::none_of(settings_.begin(), settings_.end(),
                            [&](const Setting& other) { return other.name == setting.name; }));
  check(setting, setting.value).value();
  settings_.push_back(std::move(setting));
}

void Settings::add_count(std::string name, std::string value, std::int64_t min, std::int64_t max,
                         std::string doc) {
  add({.name = std::move(name),
       .kind = Setting::Kind::kCount,
       .value = std::move(value),
       .doc = std::move(doc),
       .min = static_cast<double>(min),
       .max = static_cast<double>(max)});
}

void Settings::add_number(std::string name, std::string value, double min, double max,
                          std::string doc) {
  add({.name = std::move(name),
       .kind = Setting::Kind::kNumber,
       .value = std::move(value),
       .doc = std::move(doc),
       .min = min,
       .max = max});
}

void Settings::add_flag(std::string name, bool value, std::string doc) {
  add({.name = std::move(name),
       .kind = Setting::Kind::kFlag,
       .value = value ? "true" : "false",
       .doc = std::move(doc)});
}

void Settings::add_text(std::string name, std::string value, std::string doc,
                        std::vector<std::string> choices) {
  add({.name = std::move(name),
       .kind = Setting::Kind::kText,
       .value = std::move(value),
       .doc = std::move(doc),
       .choices = std::move(choices)});
}

Result<> Settings::set(std::string_view name, std::string_view value, SettingSource source) {
  const auto found = std::find_if(settings_.begin(), settings_.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  if (found == settings_.end()) {
    std::vector<std::string> names;
    for (const Setting& setting : settings_) names.push_back(setting.name);
    return invalid_argument("there is no setting '{}'{}; there are: {}", name,
                            did_you_mean(name, names), join(names));
  }
  GODWIT_TRY(check(*found, value));
  if (source < found->source) return {};
  found->value = value;
  found->source = source;
  found->was_auto = false;
  return {};
}

Result<> Settings::set(std::string_view assignment, SettingSource source) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return invalid_argument("'{}' is not of the form key=value", assignment);
  }
  return set(assignment.substr(0, equals), assignment.substr(equals + 1), source);
}

void Settings::resolve(std::string_view name, std::string value) {
  for (Setting& setting : settings_) {
    if (setting.name != name) continue;
    GODWIT_CHECK(setting.value == kAuto);
    check(setting, value).value();
    setting.value = std::move(value);
    setting.was_auto = true;
    return;
  }
  GODWIT_CHECK(false);
}

const Setting& Settings::find(std::string_view name) const {
  const auto found = std::find_if(settings_.begin(), settings_.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  GODWIT_CHECK(found != settings_.end());
  return *found;
}

bool Settings::is_auto(std::string_view name) const {
  return find(name).value == kAuto;
}

std::int64_t Settings::count(std::string_view name) const {
  return parse_number<std::int64_t>(find(name).value).value();
}

double Settings::number(std::string_view name) const {
  return parse_number<double>(find(name).value).value();
}

bool Settings::flag(std::string_view name) const {
  return find(name).value == "true";
}

const std::string& Settings::text(std::string_view name) const {
  return find(name).value;
}

}  // namespace godwit
