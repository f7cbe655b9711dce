// cli/train_help_test.cc: nothing that can be trained, or trained on, is forgotten.
#include "cli/train_help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "data/catalog.h"
#include "data/generated.h"
#include "train/tasks.h"

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(TrainHelp, AllTasksAndTheirDataAreListed) {
  for (const TaskKind& kind : task_kinds()) {
    EXPECT_THAT(task_list(), HasSubstr("  " + kind.name + " "));
    EXPECT_THAT(data_list(), HasSubstr(kind.name));
  }
  for (const std::string& name : known_data_names()) {
    if (name == "fashion-mnist") continue;  // no task reads images
    EXPECT_THAT(data_list(), HasSubstr("\n  " + name + " "));
  }
}

TEST(TrainHelp, GeneratedExamplesCanBeTrainedByTheTaskBesideThem) {
  std::istringstream lines(data_list());
  int generated = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string data;
    words >> data;
    if (!data.starts_with("generated:")) continue;
    ++generated;
    EXPECT_TRUE(parse_generated(data).ok()) << data;
    for (std::string task; words >> task;) {
      if (task.ends_with(',')) task.pop_back();
      const TaskKind& kind = **find_task_kind(task);
      Settings settings = settings_of(kind);
      EXPECT_TRUE(kind.make(settings, {}, find_data({}, data).value()).ok()) << line;
    }
  }
  EXPECT_EQ(generated, static_cast<int>(std::variant_size_v<GeneratedSpec>));
}

}  // namespace
}  // namespace godwit
