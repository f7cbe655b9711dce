// train/mlp_task.h: tells classes of images by a network of one hidden layer, in steps that need
// not wait for every worker.
#pragma once

#include <memory>

#include "data/images.h"
#include "godwit/result.h"
#include "train/settings.h"
#include "train/task.h"

namespace godwit {

// hidden, and those of train/step_task.h.
void add_mlp_settings(Settings& settings);

// kInvalidArgument if there are no images, fewer than two classes, or settings that make no sense.
Result<std::unique_ptr<Task>> make_mlp_task(const Settings& settings, ImageSet images);

}  // namespace godwit
