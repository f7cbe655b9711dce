// sched/run_progress.h: how far a training has come, from what it writes into its run's directory.
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>

#include "base/disk.h"

namespace godwit {

// The share of its work that is done, as its metrics last said in a finite number; nothing if they
// say nothing.
std::optional<double> read_progress(Disk& disk, const std::string& run);

// Whether it can be resumed.
bool has_checkpoint(Disk& disk, const std::string& run);

}  // namespace godwit
