// cli/train_help.h: what can be trained on what, for `--help`. Pure.
#pragma once

#include <string>

namespace godwit {

inline constexpr const char* kTrainExample = "godwit train kge --data wordnet";

// Names and summaries, a line each.
std::string task_list();

// Names that --data knows, generated ones with an example of a key, and the tasks that read them.
std::string data_list();

}  // namespace godwit
