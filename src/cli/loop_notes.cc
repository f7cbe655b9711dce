// cli/loop_notes.cc: numbers as texts, and back.
#include "cli/loop_notes.h"

#include <fmt/format.h>

#include <optional>

#include "base/errors.h"
#include "base/parse_number.h"

namespace godwit {

CheckpointNotes loop_notes(const LoopState& state, const Task& task, const std::string& task_name,
                           const std::string& data_name, const Settings& settings) {
  CheckpointNotes notes;
  notes.entries["epoch"] = std::to_string(state.next.epoch);
  notes.entries["segment"] = std::to_string(state.next.segment);
  notes.entries["segments"] = std::to_string(task.segments());
  notes.entries["seconds"] = fmt::format("{}", state.seconds);
  if (state.best) notes.entries["best"] = fmt::format("{}", *state.best);
  notes.entries["worse"] = std::to_string(state.worse);
  notes.entries["task"] = task_name;
  notes.entries["data"] = data_name;
  for (const Setting& setting : settings.all()) {
    notes.entries["setting." + setting.name] = setting.value;
  }
  for (const auto& [name, value] : task.constants()) {
    notes.entries["model." + name] = fmt::format("{}", value);
  }
  return notes;
}

std::int64_t checkpoint_step(const Cursor& next, const Task& task) {
  return next.epoch * task.segments() + next.segment;
}

Result<LoopState> loop_state_of(const CheckpointReader& reader, const Task& task,
                                const std::string& data_name) {
  const auto& notes = reader.notes().entries;
  const auto number = [&]<class Number>(const char* name, Number) {
    const auto found = notes.find(name);
    return found == notes.end() ? std::nullopt : parse_number<Number>(found->second);
  };
  const auto count = [&](const char* name) { return number(name, std::int64_t{}); };
  const auto data = notes.find("data");
  if (count("segments") != task.segments() || data == notes.end() || data->second != data_name) {
    return invalid_argument("{} is of other data than {}", reader.path(), data_name);
  }
  return LoopState{
      .next = {.epoch = count("epoch").value_or(0), .segment = count("segment").value_or(0)},
      .seconds = number("seconds", double{}).value_or(0),
      .best = number("best", double{}),
      .worse = count("worse").value_or(0)};
}

}  // namespace godwit
