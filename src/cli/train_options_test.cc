// cli/train_options_test.cc: settings from texts.
#include "cli/train_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/tasks.h"

namespace godwit {
namespace {

using testing::HasSubstr;

Settings mf_settings() {
  return settings_of(**find_task_kind("mf"));
}

TEST(TrainOptions, FlagsWinOverTheEnvironment) {
  Settings settings = mf_settings();
  TrainOptions options{.task = "mf"};
  options.set = {{"rank", "7"}};
  apply_settings(settings, options, {{"GODWIT_RANK", "5"}, {"GODWIT_EPOCHS", "3"}}).value();
  EXPECT_EQ(settings.count("rank"), 7);
  EXPECT_EQ(settings.count("epochs"), 3);
}

TEST(TrainOptions, WhatTheEnvironmentSaysWronglyNamesTheVariable) {
  Settings settings = mf_settings();
  const auto applied = apply_settings(settings, {.task = "mf"}, {{"GODWIT_RANK", "many"}});
  ASSERT_FALSE(applied.ok());
  EXPECT_THAT(applied.error().message(), HasSubstr("GODWIT_RANK"));
}

TEST(TrainOptions, VariablesThatMeanSomethingElseAreLeftAlone) {
  Settings settings = mf_settings();
  EXPECT_TRUE(
      apply_settings(settings, {.task = "mf"}, {{"GODWIT_DATA", "/x"}, {"GODWIT_NODES", "4"}})
          .ok());
}

TEST(TrainOptions, WhatIsWrittenIsReadBack) {
  Settings settings = mf_settings();
  settings.set("rank=9", SettingSource::kFlag).value();
  const TrainOptions options{.task = "mf", .data = "a \"b\\c\".tsv"};
  const auto values = parse_toml(settings_toml(settings, options), "x.toml").value();
  std::map<std::string, std::string> read(values.begin(), values.end());
  EXPECT_EQ(read["task"], "mf");
  EXPECT_EQ(read["data"], options.data);
  for (const Setting& setting : settings.all()) {
    Settings other = mf_settings();
    EXPECT_TRUE(other.set(setting.name, read[setting.name], SettingSource::kFile).ok())
        << setting.name << " = " << read[setting.name];
  }
  EXPECT_EQ(read["rank"], "9");
}

TEST(TrainOptions, WhatIsWrittenSaysWhatAutoWas) {
  Settings settings = settings_of(**find_task_kind("kge"));
  settings.resolve("rank", "64");
  const std::string toml = settings_toml(settings, {.task = "kge"});
  EXPECT_THAT(toml, HasSubstr("\nrank = 64  # auto; auto: by the model"));
  EXPECT_THAT(toml, HasSubstr("\nepochs = 20  # built-in; "));
  EXPECT_THAT(toml,
              HasSubstr("\nmodel = \"complex\"  # built-in; how a fact is scored: complex, "));
}

TEST(TrainOptions, AFileThatIsNoTomlNamesItsLine) {
  EXPECT_THAT(parse_toml("rank = 3\nepochs = = 2\n", "my.toml").error().message(),
              HasSubstr("my.toml:2"));
  EXPECT_THAT(parse_toml("[mf]\nrank = 3\n", "my.toml").error().message(),
              HasSubstr("'mf' is no single value"));
}

TEST(TrainOptions, AnUnknownTaskNamesTheNearest) {
  EXPECT_THAT(find_task_kind("kgee").error().message(), HasSubstr("did you mean 'kge'"));
}

}  // namespace
}  // namespace godwit
