// data/analogies.h: questions "a is to b as c is to d", in sections. Pure but for reading files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/data_files.h"
#include "godwit/result.h"

namespace godwit {

struct AnalogySection {
  std::string name;
  std::vector<std::array<std::string, 4>> questions;  // in lower case
};

// Lines ": name" begin a section, all others have 4 words. kInvalidArgument naming file:line for
// other lines, for a question before the first section, and without any question.
Result<std::vector<AnalogySection>> read_analogies(const DataFile& file);

}  // namespace godwit
