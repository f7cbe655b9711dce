// train/group_settings_test.cc: what the settings of groups mean, and which are refused.
#include "train/group_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/common_settings.h"
#include "train/mlp_task.h"

namespace godwit {
namespace {

using testing::HasSubstr;

Settings settings_with(const std::vector<std::string>& assignments) {
  Settings settings;
  add_common_settings(settings);
  add_mlp_settings(settings);
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  return settings;
}

std::string refusal(const std::vector<std::string>& assignments) {
  Settings settings = settings_with(assignments);
  const auto settled = settle_group_settings(settings);
  return settled.ok() ? "" : settled.error().message();
}

TEST(GroupSettings, TheRuleOfTablesFollowsTheMode) {
  const auto rule = [](std::vector<std::string> assignments) {
    assignments.emplace_back("groups=4");
    Settings settings = settings_with(assignments);
    settle_group_settings(settings).value();
    return group_rule_of(settings);
  };
  EXPECT_EQ(rule({"mode=elastic", "beta=0.5"}), Rule::elastic(0.5F));
  EXPECT_EQ(rule({"mode=outer"}), Rule::outer(0.25F, 0)) << "one group alone overwrites nobody";
  EXPECT_EQ(rule({"mode=outer", "outer_rate=0.7", "outer_momentum=0.5"}), Rule::outer(0.7F, 0.5F));
  EXPECT_EQ(rule({"mode=sync", "learning_rate=0.2"}), Rule::sgd(0.2F));
  EXPECT_EQ(rule({"mode=async"}), Rule::sgd(0.1F));
  EXPECT_EQ(rule({"mode=sync", "momentum=0.5"}), Rule::momentum(0.1F, 0.5F));
}

TEST(GroupSettings, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_EQ(refusal({"groups=2", "momentum=0.9", "exchange_every=4", "compression=int8"}), "");
  EXPECT_THAT(refusal({"groups=2", "mode=collective"}), HasSubstr("one group, not 2"));
  EXPECT_THAT(refusal({"groups=2", "mode=async", "exchange_every=2"}), HasSubstr("mode async"));
  EXPECT_THAT(refusal({"groups=2", "compression=zip"}), HasSubstr("zip"));
  EXPECT_THAT(refusal({"groups=2", "pace=fixed"}), HasSubstr("not for groups"));
}

TEST(GroupSettings, AreNotThereForTasksThatHaveNone) {
  Settings settings;
  add_common_settings(settings);
  EXPECT_EQ(groups_of(settings), 0);
  EXPECT_EQ(groups_of(settings_with({"groups=3"})), 3);
  EXPECT_TRUE(is_group_setting("mode"));
  EXPECT_FALSE(is_group_setting("epochs"));
}

}  // namespace
}  // namespace godwit
