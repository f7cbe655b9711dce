// data/understood.h: what a reader understood, to be shown to the user before training.
#pragma once

#include <string>
#include <vector>

namespace godwit {

// File, format, counts, the first 3 rows as understood, notes; one line each.
struct Understood {
  std::vector<std::string> lines;
};

}  // namespace godwit
