// train/common_settings.h: what all tasks can be told.
#pragma once

#include "godwit/table_spec.h"
#include "train/settings.h"

namespace godwit {

// How data are split, how long and with how many workers to train, how often to judge and to save,
// seed, consistency, placement, codec.
void add_common_settings(Settings& settings);

// kInvalidArgument for a consistency, placement or codec that there is not.
Result<> check_common_settings(const Settings& settings);

// A spec with what the settings say, and neither name nor size. REQUIRES: check_common_settings().
TableSpec common_table_spec(const Settings& settings);

}  // namespace godwit
