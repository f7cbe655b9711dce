// train/group_settings.cc: from texts to rules.
#include "train/group_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::array<std::string_view, 8> kNames = {
    "ranks_per_group", "mode",           "exchange_every", "beta",
    "outer_rate",      "outer_momentum", "momentum",       "compression"};

GroupMode mode_of(const Settings& settings) {
  const std::string& text = settings.text("mode");
  for (const GroupMode mode : {GroupMode::kSync, GroupMode::kAsync, GroupMode::kElastic,
                               GroupMode::kOuter, GroupMode::kCollective}) {
    if (to_string(mode) == text) return mode;
  }
  GODWIT_CHECK(false);  // the setting has choices
}

}  // namespace

std::string_view to_string(GroupMode mode) {
  switch (mode) {
    case GroupMode::kSync:
      return "sync";
    case GroupMode::kAsync:
      return "async";
    case GroupMode::kElastic:
      return "elastic";
    case GroupMode::kOuter:
      return "outer";
    case GroupMode::kCollective:
      return "collective";
  }
  return "?";
}

void add_group_settings(Settings& settings) {
  settings.add_count("groups", "0", 0, 4096, "of ranks, beside the table nodes; 0: none");
  settings.add_count("ranks_per_group", "1", 1, 4096, "of each group");
  settings.add_text("mode", "elastic", "of --groups: how they come together",
                    {"sync", "async", "elastic", "outer", "collective"});
  settings.add_count("exchange_every", "auto", 1, 1'000'000,
                     "auto: exchanging takes less than a tenth of the time; steps of a group "
                     "between two exchanges (elastic, outer)");
  settings.add_number("beta", "0.9", 1e-6, 1.0,
                      "how strongly all groups together pull the centre (elastic)");
  settings.add_number("outer_rate", "auto", 1e-6, 10.0,
                      "auto: 1 / groups; step of the centre towards a group (outer)");
  settings.add_number("outer_momentum", "0", 0, 0.999, "of these steps (outer)");
  settings.add_number("momentum", "0", 0, 0.999,
                      "of steps: of a group's own, or of the tables' (sync, async)");
  settings.add_text("compression", "fp32",
                    "between groups and tables: fp32, bf16, int8 or topk:0.01");
}

bool is_group_setting(std::string_view name) {
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::int64_t groups_of(const Settings& settings) {
  const bool has_any = std::any_of(settings.all().begin(), settings.all().end(),
                                   [](const Setting& setting) { return setting.name == "groups"; });
  return has_any ? settings.count("groups") : 0;
}

Result<> settle_group_settings(Settings& settings) {
  const std::int64_t groups = groups_of(settings);
  const GroupMode mode = mode_of(settings);
  GODWIT_TRY(Compression::parse(settings.text("compression")));
  if (mode == GroupMode::kCollective && groups != 1) {
    return invalid_argument("mode collective is for one group, not {}: there is no table between",
                            groups);
  }
  if (!has_own_steps(mode) && !settings.is_auto("exchange_every")) {
    return invalid_argument(
        "exchange_every is for groups that take steps of their own, not for mode {}",
        to_string(mode));
  }
  const bool is_paced = settings.text("pace") != "auto" || settings.text("late") != "drop" ||
                        !settings.text("inject").empty() || settings.number("compute_slack") > 0;
  if (is_paced) {
    return invalid_argument(
        "pace, late, inject and compute_slack are not for groups: their ranks wait for each other");
  }
  if (settings.is_auto("outer_rate")) {
    settings.resolve("outer_rate", fmt::format("{:.6g}", 1.0 / static_cast<double>(groups)));
  }
  return group_rule_of(settings).validate();
}

GroupTraining group_training_of(const Settings& settings) {
  GroupTraining training{
      .mode = mode_of(settings),
      .learning_rate = settings.real("learning_rate"),
      .momentum = has_own_steps(mode_of(settings)) ? settings.real("momentum") : 0,
      .batch = settings.count("batch"),
      .seed = static_cast<std::uint64_t>(settings.count("seed")),
      .compression = Compression::parse(settings.text("compression")).value()};
  if (!settings.is_auto("exchange_every")) {
    training.exchange_every = settings.count("exchange_every");
  }
  return training;
}

Rule group_rule_of(const Settings& settings) {
  switch (mode_of(settings)) {
    case GroupMode::kSync:
    case GroupMode::kAsync:
      return settings.real("momentum") > 0
                 ? Rule::momentum(settings.real("learning_rate"), settings.real("momentum"))
                 : Rule::sgd(settings.real("learning_rate"));
    case GroupMode::kElastic:
      return Rule::elastic(settings.real("beta"));
    case GroupMode::kOuter:
      return Rule::outer(settings.real("outer_rate"), settings.real("outer_momentum"));
    case GroupMode::kCollective:
      break;
  }
  return Rule::outer(1, 0);  // the table takes what the group has
}

}  // namespace godwit
