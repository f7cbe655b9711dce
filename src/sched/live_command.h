// sched/live_command.h: from a placement to nodes and workers, and the command that starts them.
// Thread-safe: no state.
#pragma once

#include <string>
#include <vector>

#include "godwit/result.h"
#include "sched/job.h"

namespace godwit {

// The nodes of a job on one machine.
struct MachineNodes {
  MachineIndex machine = 0;
  int nodes = 1;

  friend bool operator==(const MachineNodes&, const MachineNodes&) = default;
};

// All nodes of a training have the same number of workers: the largest that all machines' shares
// are multiples of. Three machines with 4 workers each are 3 nodes of 4; 4 and 2 are 2 + 1 of 2.
struct NodeLayout {
  int nodes = 0;    // of all machines
  int workers = 1;  // of each node
  std::vector<MachineNodes> machines;

  friend bool operator==(const NodeLayout&, const NodeLayout&) = default;
};
// REQUIRES: some share has workers.
NodeLayout layout_of(const JobShares& placement);

// Words of a command may hold {nodes}, {workers} and {run}; the word {resume} is --resume in all
// lives that find a checkpoint, and left out in others. kInvalidArgument: another name in braces
// (with the nearest), no word at all, no {nodes}; or it is to have checkpoints without saying {run}
// and {resume}.
Result<> check_command(const std::vector<std::string>& command, bool has_checkpoints);

// REQUIRES: check_command() is content.
std::vector<std::string> expand_command(const std::vector<std::string>& command,
                                        const NodeLayout& layout, const std::string& run,
                                        bool resumes);

}  // namespace godwit
