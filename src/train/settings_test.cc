// train/settings_test.cc: what is allowed, and whose value wins.
#include "train/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;

Settings make() {
  Settings settings;
  settings.add_count("rank", "auto", 1, 1024, "auto: by the data");
  settings.add_number("learning_rate", "0.1", 0, 10, "of the first epoch");
  settings.add_flag("biases", true, "learn them");
  settings.add_text("model", "complex", "which", {"complex", "transe"});
  return settings;
}

TEST(Settings, TheLaterSourceWinsWhoeverComesFirst) {
  Settings settings = make();
  settings.set("rank=32", SettingSource::kFlag).value();
  settings.set("rank=16", SettingSource::kFile).value();
  EXPECT_EQ(settings.count("rank"), 32);
  settings.set("rank=8", SettingSource::kFlag).value();
  EXPECT_EQ(settings.count("rank"), 8);
  settings.set("biases=false", SettingSource::kUserFile).value();
  EXPECT_FALSE(settings.flag("biases"));
}

TEST(Settings, AnUnknownNameGetsTheNearest) {
  Settings settings = make();
  EXPECT_THAT(settings.set("learning-rate=1", SettingSource::kFlag).error().message(),
              HasSubstr("did you mean 'learning_rate'?"));
  EXPECT_THAT(settings.set("rank", SettingSource::kFlag).error().message(), HasSubstr("key=value"));
}

TEST(Settings, ValuesThatAreNotAllowedAreRefusedAndChangeNothing) {
  Settings settings = make();
  for (const char* wrong : {"rank=0", "rank=2000", "rank=1.5", "rank=", "learning_rate=nan",
                            "learning_rate=-1", "biases=yes", "model=complexx", "model=auto"}) {
    const auto set = settings.set(wrong, SettingSource::kFlag);
    ASSERT_FALSE(set.ok()) << wrong;
    EXPECT_EQ(set.error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(settings.is_auto("rank"));
  EXPECT_EQ(settings.number("learning_rate"), 0.1);
  EXPECT_EQ(settings.text("model"), "complex");
}

TEST(Settings, WhatAutoTurnsOutToBeKeepsItsSource) {
  Settings settings = make();
  settings.resolve("rank", "64");
  EXPECT_EQ(settings.count("rank"), 64);
  EXPECT_EQ(settings.all()[0].source, SettingSource::kBuiltIn);
  EXPECT_EQ(origin_of(settings.all()[0]), "auto");
  EXPECT_EQ(origin_of(settings.all()[1]), "built-in");
  settings.set("rank=8", SettingSource::kFlag).value();
  EXPECT_EQ(origin_of(settings.all()[0]), "flag");
}

TEST(Settings, TheMeaningNamesTheChoices) {
  const Settings settings = make();
  EXPECT_EQ(meaning_of(settings.all()[1]), "of the first epoch");
  EXPECT_EQ(meaning_of(settings.all()[3]), "which: complex, transe");
}

}  // namespace
}  // namespace godwit
