// cli/loop_notes.h: where a training was when a checkpoint was written, as the checkpoint's notes.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "godwit/checkpoint.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"
#include "train/training_loop.h"

namespace godwit {

CheckpointNotes loop_notes(const LoopState& state, const Task& task, const std::string& task_name,
                           const std::string& data_name, const Settings& settings);

// The number that such a checkpoint has: it rises.
std::int64_t checkpoint_step(const Cursor& next, const Task& task);

// kInvalidArgument if the checkpoint is of other data than `data_name`, or cut into other segments.
Result<LoopState> loop_state_of(const CheckpointReader& reader, const Task& task,
                                const std::string& data_name);

}  // namespace godwit
