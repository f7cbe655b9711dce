// launch/rank_claims.cc: from variables to claims.
#include "launch/rank_claims.h"

#include <fmt/format.h>

#include <array>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {
namespace {

enum class Launcher { kUnknown, kMpi, kSlurm };

Launcher nearest_launcher(std::span<const ProcessEntry> ancestors) {
  for (const ProcessEntry& process : ancestors) {
    const std::string_view name = process.name;
    if (name == "slurmstepd") return Launcher::kSlurm;
    if (name == "orted" || name == "prted" || name == "prterun" || name == "orterun" ||
        name.starts_with("mpirun") || name.starts_with("mpiexec") || name == "hydra_pmi_proxy") {
      return Launcher::kMpi;
    }
  }
  return Launcher::kUnknown;
}

Result<> check_range(const RankClaim& claim) {
  if (!claim.size) return {};
  if (*claim.size < 1 || *claim.size > kNodesMax) {
    return invalid_argument("{}: the size must be 1 to {}", claim.text, kNodesMax);
  }
  if (claim.rank >= *claim.size) {
    return invalid_argument("{}: the rank must be 0 to {}", claim.text, *claim.size - 1);
  }
  return {};
}

// The claim of two numbers of which none or both must be there.
Result<> add_pair(RankSource source, std::string_view rank_name, std::optional<std::int64_t> rank,
                  std::string_view size_name, std::optional<std::int64_t> size,
                  std::vector<RankClaim>& claims) {
  if (!rank && !size) return {};
  if (!rank || !size) {
    return invalid_argument("{} is set but {} is not: set both or none",
                            rank ? rank_name : size_name, rank ? size_name : rank_name);
  }
  RankClaim claim{source, *rank, size,
                  fmt::format("{}={} {}={}", rank_name, *rank, size_name, *size)};
  GODWIT_TRY(check_range(claim));
  claims.push_back(std::move(claim));
  return {};
}

Result<> add_variables(RankSource source, std::string_view rank_name, std::string_view size_name,
                       const Environment& environment, std::vector<RankClaim>& claims) {
  GODWIT_TRY_ASSIGN(const auto rank, number_of(environment, rank_name));
  GODWIT_TRY_ASSIGN(const auto size, number_of(environment, size_name));
  return add_pair(source, rank_name, rank, size_name, size, claims);
}

Result<> add_pmix(const Environment& environment, std::vector<RankClaim>& claims) {
  GODWIT_TRY_ASSIGN(const auto rank, number_of(environment, "PMIX_RANK"));
  if (!rank) return {};
  claims.push_back({RankSource::kPmix, *rank, std::nullopt, fmt::format("PMIX_RANK={}", *rank)});
  return {};
}

// A batch script and the shell of salloc have SLURM_PROCID and SLURM_NTASKS too, and must not take
// themselves for one task of many: they have no step, or one of the reserved numbers near 2^32.
Result<> add_slurm(const Environment& environment, std::vector<RankClaim>& claims) {
  constexpr std::int64_t kReservedStepsFirst = 0xfffffff0;
  const auto step = value_of(environment, "SLURM_STEP_ID");
  const auto number = step ? parse_whole_number(*step) : std::nullopt;  // not "batch", "extern"
  if (!number || *number >= kReservedStepsFirst) return {};
  if (!value_of(environment, "SLURM_PROCID")) return {};
  // What srun set; SLURM_NTASKS may still be the allocation's.
  const bool has_step_size = value_of(environment, "SLURM_STEP_NUM_TASKS").has_value();
  return add_variables(RankSource::kSlurm, "SLURM_PROCID",
                       has_step_size ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS", environment,
                       claims);
}

}  // namespace

std::string_view to_string(RankSource source) {
  switch (source) {
    case RankSource::kFlags:
      return "flags";
    case RankSource::kGodwit:
      return "GODWIT_NODE";
    case RankSource::kRank:
      return "RANK";
    case RankSource::kOpenMpi:
      return "OMPI_COMM_WORLD_RANK";
    case RankSource::kPmi:
      return "PMI_RANK";
    case RankSource::kPmix:
      return "PMIX_RANK";
    case RankSource::kSlurm:
      return "SLURM_PROCID";
  }
  return "unknown";
}

Result<std::vector<RankClaim>> rank_claims(const Environment& environment, const RankFlags& flags,
                                           std::span<const ProcessEntry> ancestors) {
  const Launcher nearest = nearest_launcher(ancestors);
  const std::string slurm_mpi = value_of(environment, "SLURM_MPI_TYPE").value_or("");
  std::vector<RankClaim> claims;
  GODWIT_TRY(add_pair(RankSource::kFlags, "--node", flags.node, "--nodes", flags.nodes, claims));
  GODWIT_TRY(
      add_variables(RankSource::kGodwit, "GODWIT_NODE", "GODWIT_NODES", environment, claims));
  GODWIT_TRY(add_variables(RankSource::kRank, "RANK", "WORLD_SIZE", environment, claims));
  if (nearest != Launcher::kSlurm) {
    GODWIT_TRY(add_variables(RankSource::kOpenMpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                             environment, claims));
  }
  if (nearest != Launcher::kSlurm || slurm_mpi.starts_with("pmi2")) {
    GODWIT_TRY(add_variables(RankSource::kPmi, "PMI_RANK", "PMI_SIZE", environment, claims));
  }
  if (nearest != Launcher::kSlurm || slurm_mpi.starts_with("pmix")) {
    GODWIT_TRY(add_pmix(environment, claims));
  }
  if (nearest != Launcher::kMpi) GODWIT_TRY(add_slurm(environment, claims));
  return claims;
}

Result<AgreedRank> agreed_rank(std::span<const RankClaim> claims) {
  GODWIT_CHECK(!claims.empty());
  const RankClaim* sized = nullptr;
  for (const RankClaim& claim : claims) {
    const bool other_rank = claim.rank != claims[0].rank;
    const bool other_size = sized != nullptr && claim.size && *claim.size != *sized->size;
    if (other_rank || other_size) {
      return invalid_argument(
          "{} and {} disagree about the place of this process: unset the variables that are not "
          "of this job",
          other_rank ? claims[0].text : sized->text, claim.text);
    }
    if (claim.size && sized == nullptr) sized = &claim;
  }
  if (sized == nullptr) {
    return invalid_argument(
        "{} says which process this is but not of how many: set GODWIT_NODE and GODWIT_NODES",
        claims[0].text);
  }
  if (claims[0].rank >= *sized->size) {
    return invalid_argument("{} is not below {}", claims[0].text, sized->text);
  }
  return AgreedRank{claims[0].rank, *sized->size};
}

std::span<const std::string_view> foreign_rank_variables() {
  static constexpr std::array<std::string_view, 15> kNames = {"RANK",
                                                              "WORLD_SIZE",
                                                              "LOCAL_RANK",
                                                              "LOCAL_WORLD_SIZE",
                                                              "MASTER_ADDR",
                                                              "MASTER_PORT",
                                                              "OMPI_COMM_WORLD_RANK",
                                                              "OMPI_COMM_WORLD_SIZE",
                                                              "PMI_RANK",
                                                              "PMI_SIZE",
                                                              "PMI_FD",
                                                              "PMIX_RANK",
                                                              "PMIX_NAMESPACE",
                                                              "SLURM_PROCID",
                                                              "SLURM_STEP_ID"};
  return kNames;
}

}  // namespace godwit
