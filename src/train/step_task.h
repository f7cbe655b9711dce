// train/step_task.h: trains a StepModel: in steps that need not wait for every worker, or, with
// pace off, tick by tick with all of them.
#pragma once

#include <cstdint>
#include <memory>

#include "godwit/result.h"
#include "train/settings.h"
#include "train/step_model.h"
#include "train/task.h"

namespace godwit {

// epochs, batch, learning_rate, pace, late, compute_slack, servers, inject.
struct StepDefaults {
  const char* epochs = "20";
  const char* batch = "64";
  const char* learning_rate = "0.1";
};
void add_step_settings(Settings& settings, const StepDefaults& defaults);

// kInvalidArgument for a pace, a delay or another setting that there is not, or that do not go
// together.
Result<> check_step_settings(const Settings& settings, const StepModel& model);

// How many of so many nodes own rows, so that the others can be lost: SessionOptions::servers. 0:
// all, also for tasks that do not train in steps.
std::int64_t servers_of(const Settings& settings, std::int64_t nodes);

// REQUIRES: check_step_settings().
std::unique_ptr<Task> make_step_task(const Settings& settings, std::unique_ptr<StepModel> model);

}  // namespace godwit
