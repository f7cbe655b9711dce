// launch/rank_label.h: which rank wrote a line, as launchers of MPI jobs are made to say in front
// of it. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace godwit {

enum class RankLabel {
  kNone,
  kOpenMpi,  // mpirun --tag-output:   "[1,2]<stdout>:text"
  kMpich,    // mpirun -prepend-rank:  "[2] text"
  kSlurm,    // srun --label:          " 2: text"
};

struct LabelledLine {
  std::int64_t rank = 0;
  std::string_view text;
};

// The rank and what follows the label; nothing for a line that the launcher itself wrote.
std::optional<LabelledLine> split_rank_label(RankLabel label, std::string_view line);

}  // namespace godwit
