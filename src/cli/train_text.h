// cli/train_text.h: what `godwit train` says to people at the beginning and at the end. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "report/run_lines.h"

namespace godwit {

// "1 node x 2 workers, 20 epochs".
std::string size_text(std::int64_t nodes, std::int64_t workers, std::int64_t epochs);

// Its title, its text and its table with aligned columns; lines are ended.
std::string section_text(const RunSection& section);

// "finished after 0.7 s:  test rmse 0.1013", "stopped after 4.6 s: out of time"; no line end.
std::string end_text(const RunEnd& end);

}  // namespace godwit
