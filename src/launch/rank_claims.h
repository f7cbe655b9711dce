// launch/rank_claims.h: which rank each launcher's variables say that this process has, and whether
// they agree. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"
#include "launch/environment.h"
#include "launch/process_table.h"

namespace godwit {

inline constexpr std::int64_t kNodesMax = 4096;

// In the order in which they are asked.
enum class RankSource {
  kFlags,    // --node, --nodes
  kGodwit,   // GODWIT_NODE, GODWIT_NODES
  kRank,     // RANK, WORLD_SIZE: torchrun and its kin
  kOpenMpi,  // OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE: mpirun of Open MPI
  kPmi,      // PMI_RANK, PMI_SIZE: mpirun of MPICH (Hydra), srun --mpi=pmi2
  kPmix,     // PMIX_RANK, which comes without a size: any PMIx launcher
  kSlurm,    // SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS: srun
};

struct RankClaim {
  RankSource source = RankSource::kFlags;
  std::int64_t rank = 0;
  std::optional<std::int64_t> size;
  std::string text;  // for messages: "RANK=1 WORLD_SIZE=4"
};

// "flags", "GODWIT_NODE", "RANK", ...: the name shown for a source.
std::string_view to_string(RankSource source);

// The command line's own word, where a verb has such options.
struct RankFlags {
  std::optional<std::int64_t> node;
  std::optional<std::int64_t> nodes;
};

// All that claim something, in the order of RankSource. mpirun inside a Slurm step leaves the rank
// of its own daemon in SLURM_PROCID, and srun inside of mpirun leaves the outer rank, so where both
// are set the nearest launcher among the ancestors says which of the two is stale and left out.
// kInvalidArgument if a value is not a number, half of a pair is missing, a rank is not below its
// size or a size is 0 or above kNodesMax.
Result<std::vector<RankClaim>> rank_claims(const Environment& environment, const RankFlags& flags,
                                           std::span<const ProcessEntry> ancestors);

struct AgreedRank {
  std::int64_t rank = 0;
  std::int64_t size = 1;
};

// kInvalidArgument, with the names and values of both, if two claims differ in rank or size; and if
// no claim has a size. REQUIRES: claims is not empty.
Result<AgreedRank> agreed_rank(std::span<const RankClaim> claims);

// The variables by which other launchers than ours tell a process its place. A launcher whose
// children shall have a place of their own removes them.
std::span<const std::string_view> foreign_rank_variables();

}  // namespace godwit
