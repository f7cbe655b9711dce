// train/settings.h: the named values a run is made with: what is allowed, what each is, and who set
// it. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"

namespace godwit {

// Who set a value; a later one wins over an earlier one.
enum class SettingSource : std::uint8_t { kBuiltIn, kUserFile, kFile, kRun, kEnvironment, kFlag };

// "built-in", "godwit.toml", "--config", "run", "environment", "flag".
std::string_view to_string(SettingSource source);

struct Setting {
  enum class Kind : std::uint8_t { kCount, kNumber, kFlag, kText };

  std::string name;
  Kind kind = Kind::kText;
  std::string value;
  std::string doc;
  double min = 0;  // of counts and numbers
  double max = 0;
  std::vector<std::string> choices;  // of texts; empty: any
  SettingSource source = SettingSource::kBuiltIn;
  bool was_auto = false;  // the value is what "auto" has turned out to be
};

// Where a value comes from, for people: "auto" or its source.
std::string_view origin_of(const Setting& setting);
// What it is for, with the values that it may have if these are a few words.
std::string meaning_of(const Setting& setting);

class Settings {
 public:
  // Each names a setting and its built-in value. "auto" is allowed where `doc` begins with "auto".
  // REQUIRES: no other has this name; the value is allowed.
  void add_count(std::string name, std::string value, std::int64_t min, std::int64_t max,
                 std::string doc);
  void add_number(std::string name, std::string value, double min, double max, std::string doc);
  void add_flag(std::string name, bool value, std::string doc);
  void add_text(std::string name, std::string value, std::string doc,
                std::vector<std::string> choices = {});

  // kInvalidArgument for a name that there is not, naming the nearest, or a value that is not
  // allowed, naming what is. A value of a source that loses against the present one is checked and
  // dropped.
  Result<> set(std::string_view name, std::string_view value, SettingSource source);
  // Of "key=value".
  Result<> set(std::string_view assignment, SettingSource source);
  // What "auto" has turned out to be: the source stays. REQUIRES: is_auto(name), and the value is
  // allowed.
  void resolve(std::string_view name, std::string value);

  // REQUIRES of these: there is a setting of this name and kind; not "auto".
  bool is_auto(std::string_view name) const;
  std::int64_t count(std::string_view name) const;
  double number(std::string_view name) const;
  float real(std::string_view name) const { return static_cast<float>(number(name)); }
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  const std::vector<Setting>& all() const { return settings_; }

 private:
  void add(Setting setting);
  const Setting& find(std::string_view name) const;

  std::vector<Setting> settings_;
};

}  // namespace godwit
