// launch/mpi_launcher.h: which program starts the ranks of a group, and with which words and
// variables. Pure but for the search in PATH. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/rank_label.h"

namespace godwit {

enum class MpiKind {
  kPlain,  // groups of one rank: the command itself
  kOpenMpi,
  kMpich,
  kSlurm,  // srun, inside an allocation
};

struct MpiLauncher {
  MpiKind kind = MpiKind::kPlain;
  std::string path;  // empty for kPlain
};

// "openmpi", "mpich" or "slurm". kInvalidArgument otherwise.
Result<MpiKind> parse_mpi_kind(const std::string& text);

// The launcher of the wanted kind; else srun inside a Slurm allocation, the command itself for one
// rank, or the mpirun that is installed. kNotFound, naming the package, if there is none;
// kInvalidArgument if Slurm is wanted outside of an allocation.
Result<MpiLauncher> find_mpi_launcher(std::optional<MpiKind> wanted, std::int64_t ranks_per_group,
                                      const Environment& environment);

// What the words and variables depend on.
struct GroupStart {
  std::int64_t group = 0;
  std::int64_t ranks = 1;  // of this group
  bool is_root = false;
  bool is_crowded = false;  // the job has more processes than this host has processors
  std::string dir;          // of this life of the group alone, exists
  std::string memory_dir;   // likewise, in memory; empty: none
};

// The whole command line: launcher, its options, then `command`.
std::vector<std::string> group_command(const MpiLauncher& launcher, const GroupStart& start,
                                       const std::vector<std::string>& command,
                                       const Environment& environment);

// `environment` with what the launcher needs; for mpirun without Slurm's variables, so that all its
// ranks are on this host. What the user has set for Open MPI stays.
Environment launcher_environment(const MpiLauncher& launcher, const GroupStart& start,
                                 Environment environment);

// How its output is labelled by the words of group_command().
RankLabel label_of(MpiKind kind);

// Removes what any launcher, ours too, has told about a place.
void forget_place(Environment& environment);

}  // namespace godwit
