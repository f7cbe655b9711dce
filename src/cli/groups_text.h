// cli/groups_text.h: what `godwit train` says and writes about groups. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/run_lines.h"
#include "train/progress_board.h"

namespace godwit {

// "4 groups x 2 ranks, 1 table node, 20 epochs".
std::string groups_text(std::int64_t groups, std::int64_t ranks, std::int64_t table_nodes,
                        std::int64_t epochs);

// A line for each group, with an end of line.
std::string groups_csv_header();
std::string groups_csv(const std::vector<GroupWork>& groups, double seconds);

// How much each group has done, as a table.
RunSection groups_section(const std::vector<GroupWork>& groups);

}  // namespace godwit
