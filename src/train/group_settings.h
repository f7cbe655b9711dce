// train/group_settings.h: how groups of ranks train one model together: settings, and what they
// mean for tables. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "godwit/groups.h"
#include "godwit/result.h"
#include "godwit/rule.h"
#include "train/settings.h"

namespace godwit {

enum class GroupMode : std::uint8_t {
  kSync,        // each step: gradients of all groups, which wait for each other
  kAsync,       // each step: gradients of a group, applied when they come
  kElastic,     // every few steps: a group's parameters and the centre's pull each other
  kOuter,       // every few steps: the centre takes a step towards a group's parameters
  kCollective,  // one group, which needs no table but to show what it has learned
};

std::string_view to_string(GroupMode mode);
// Whether a group takes its own steps, and parameters travel.
inline bool has_own_steps(GroupMode mode) {
  return mode != GroupMode::kSync && mode != GroupMode::kAsync;
}

// groups, ranks_per_group, mode, exchange_every, beta, outer_rate, outer_momentum, momentum,
// compression.
void add_group_settings(Settings& settings);

// Whether this is one of those that mean nothing without groups.
bool is_group_setting(std::string_view name);

// 0: none, also for tasks that cannot be trained by groups.
std::int64_t groups_of(const Settings& settings);

// kInvalidArgument for values that do not go together. Replaces "auto" of outer_rate.
// REQUIRES: there are groups.
Result<> settle_group_settings(Settings& settings);

struct GroupTraining {
  GroupMode mode = GroupMode::kElastic;
  std::optional<std::int64_t> exchange_every;  // steps; nothing: found out
  float learning_rate = 0.1F;
  float momentum = 0;       // of a group's own steps; 0 if it has none
  std::int64_t batch = 64;  // samples of a rank in a step
  std::uint64_t seed = 1;
  Compression compression;
};
// REQUIRES: settle_group_settings().
GroupTraining group_training_of(const Settings& settings);

// Of the tables of parameters, by the mode. REQUIRES: outer_rate is settled if the mode is outer.
Rule group_rule_of(const Settings& settings);

}  // namespace godwit
