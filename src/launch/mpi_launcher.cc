// launch/mpi_launcher.cc: what Open MPI 4, MPICH 4 and Slurm 22 want to be told.
#include "launch/mpi_launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/errors.h"
#include "base/try.h"
#include "launch/child_process.h"
#include "launch/rank_claims.h"

namespace godwit {
namespace {

// Names of its own come before those that several MPIs share.
constexpr std::array<std::string_view, 4> kOpenMpiNames = {"mpirun.openmpi", "orterun", "prterun",
                                                           "mpirun"};
constexpr std::array<std::string_view, 3> kMpichNames = {"mpirun.mpich", "mpiexec.hydra", "mpirun"};

std::optional<std::string> first_found(std::span<const std::string_view> names,
                                       const Environment& environment) {
  for (const std::string_view name : names) {
    auto path = find_command(std::string(name), environment);
    if (path.ok()) return *std::move(path);
  }
  return std::nullopt;
}

Result<MpiLauncher> find_slurm(const Environment& environment) {
  if (!value_of(environment, "SLURM_JOB_ID")) {
    return invalid_argument(
        "--mpi slurm, but SLURM_JOB_ID is not set: groups are steps of an "
        "allocation, so run `salloc -n RANKS godwit launch ...`, or sbatch");
  }
  auto path = find_command("srun", environment);
  if (!path.ok()) return not_found("srun not found in PATH: install slurm-client");
  return MpiLauncher{MpiKind::kSlurm, *std::move(path)};
}

// By default, kinds whose names are unmistakable come first.
Result<MpiLauncher> find_mpirun(std::optional<MpiKind> wanted, const Environment& environment) {
  const std::span<const std::string_view> open_mpi(kOpenMpiNames);
  const std::span<const std::string_view> mpich(kMpichNames);
  if (wanted != MpiKind::kMpich) {
    const auto own = open_mpi.first(open_mpi.size() - 1);
    if (auto path = first_found(own, environment)) return MpiLauncher{MpiKind::kOpenMpi, *path};
  }
  if (wanted != MpiKind::kOpenMpi) {
    const auto own = mpich.first(mpich.size() - 1);
    if (auto path = first_found(own, environment)) return MpiLauncher{MpiKind::kMpich, *path};
  }
  const MpiKind kind = wanted.value_or(MpiKind::kOpenMpi);
  if (auto path = first_found(std::array{std::string_view("mpirun")}, environment)) {
    return MpiLauncher{kind, *path};
  }
  return not_found("groups of several ranks need MPI, but there is no mpirun in PATH: install {}",
                   kind == MpiKind::kMpich ? "mpich" : "openmpi-bin (or mpich)");
}

constexpr std::array<std::string_view, 6> kPlacePrefixes = {
    "OMPI_COMM_WORLD_", "PMIX_", "PMI_", "HYDI_", "MPI_LOCAL", "SLURM_STEP"};
// mpirun gives its ranks settings that are not the user's and lead another mpirun astray.
constexpr std::array<std::string_view, 3> kRankSettings = {"OMPI_MCA_orte_", "OMPI_MCA_ess",
                                                           "OMPI_MCA_pmix"};
constexpr std::string_view kPmixSettings = "PMIX_MCA_";  // these are the user's
constexpr std::array<std::string_view, 14> kPlaceNames = {
    "GODWIT_NODE",      "GODWIT_NODE_BASE",      "GODWIT_ROLE",   "GODWIT_GROUP",
    "GODWIT_GROUPS",    "GODWIT_GROUP_LIFE",     "SLURM_LOCALID", "SLURM_NODEID",
    "SLURM_TASK_PID",   "SLURM_GTIDS",           "OMPI_ARGV",     "OMPI_COMMAND",
    "OMPI_FIRST_RANKS", "OMPI_APP_CTX_NUM_PROCS"};

void erase_prefixed(Environment& environment, std::string_view prefix) {
  auto i = environment.lower_bound(prefix);
  while (i != environment.end() && i->first.starts_with(prefix)) {
    i = i->first.starts_with(kPmixSettings) ? std::next(i) : environment.erase(i);
  }
}

std::vector<std::string> open_mpi_words(const MpiLauncher& launcher, const GroupStart& start) {
  std::vector<std::string> words = {launcher.path,    "-n",        std::to_string(start.ranks),
                                    "--tag-output",   "--bind-to", "none",
                                    "--oversubscribe"};  // hyper-threads are no slots otherwise
  if (start.is_root) words.emplace_back("--allow-run-as-root");
  return words;
}

std::vector<std::string> slurm_words(const MpiLauncher& launcher, const GroupStart& start,
                                     const Environment& environment) {
  const std::string hosts = value_of(environment, "SLURM_JOB_NUM_NODES").value_or("1");
  std::vector<std::string> words = {launcher.path,
                                    "-n",
                                    std::to_string(start.ranks),
                                    "-N",  // on few hosts, whatever the allocation has
                                    "1-" + hosts,
                                    "--distribution=block,Pack",
                                    "--exact",  // processors of its own
                                    "--mem=0",  // and no claim on all the memory
                                    "--label",
                                    "--kill-on-bad-exit=1",
                                    fmt::format("--job-name=group-{}", start.group)};
  // Slurm's own default is none; a site that has set another knows why.
  if (!value_of(environment, "SLURM_MPI_TYPE")) words.emplace_back("--mpi=pmix");
  return words;
}

}  // namespace

Result<MpiKind> parse_mpi_kind(const std::string& text) {
  if (text == "openmpi") return MpiKind::kOpenMpi;
  if (text == "mpich") return MpiKind::kMpich;
  if (text == "slurm") return MpiKind::kSlurm;
  return invalid_argument("--mpi is '{}', not openmpi, mpich or slurm", text);
}

Result<MpiLauncher> find_mpi_launcher(std::optional<MpiKind> wanted, std::int64_t ranks_per_group,
                                      const Environment& environment) {
  const bool is_slurm =
      wanted ? *wanted == MpiKind::kSlurm : value_of(environment, "SLURM_JOB_ID").has_value();
  if (is_slurm) return find_slurm(environment);
  if (ranks_per_group == 1) return MpiLauncher{};
  return find_mpirun(wanted, environment);
}

std::vector<std::string> group_command(const MpiLauncher& launcher, const GroupStart& start,
                                       const std::vector<std::string>& command,
                                       const Environment& environment) {
  std::vector<std::string> words;
  switch (launcher.kind) {
    case MpiKind::kPlain:
      break;
    case MpiKind::kOpenMpi:
      words = open_mpi_words(launcher, start);
      break;
    case MpiKind::kMpich:
      words = {launcher.path, "-n", std::to_string(start.ranks), "-prepend-rank"};
      break;
    case MpiKind::kSlurm:
      words = slurm_words(launcher, start, environment);
      break;
  }
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Environment launcher_environment(const MpiLauncher& launcher, const GroupStart& start,
                                 Environment environment) {
  if (launcher.kind == MpiKind::kSlurm) return environment;
  erase_prefixed(environment, "SLURM_");
  if (launcher.kind != MpiKind::kOpenMpi) return environment;
  // Two mpirun that make the same directory at the same moment fail.
  environment["OMPI_MCA_orte_tmpdir_base"] = start.dir;
  environment["PRTE_MCA_prte_tmpdir_base"] = start.dir;  // Open MPI 5
  // All ranks are on this host: nothing has to go through, or listen on, a real network.
  environment.emplace("OMPI_MCA_btl", "self,vader");
  environment.emplace("OMPI_MCA_oob_tcp_if_include", "lo");
  // A killed rank leaves its segment behind; this one is removed.
  if (!start.memory_dir.empty()) {
    environment.emplace("OMPI_MCA_btl_vader_backing_directory", start.memory_dir);
    environment.emplace("OMPI_MCA_btl_sm_backing_directory", start.memory_dir);
  }
  if (start.is_crowded) environment.emplace("OMPI_MCA_mpi_yield_when_idle", "1");
  return environment;
}

RankLabel label_of(MpiKind kind) {
  switch (kind) {
    case MpiKind::kPlain:
      return RankLabel::kNone;
    case MpiKind::kOpenMpi:
      return RankLabel::kOpenMpi;
    case MpiKind::kMpich:
      return RankLabel::kMpich;
    case MpiKind::kSlurm:
      return RankLabel::kSlurm;
  }
  return RankLabel::kNone;
}

void forget_place(Environment& environment) {
  // Who was told its role was told this with it; alone it is the user's.
  if (value_of(environment, "GODWIT_ROLE")) environment.erase("GODWIT_SERVERS");
  if (value_of(environment, "OMPI_COMM_WORLD_RANK")) {
    for (const std::string_view prefix : kRankSettings) erase_prefixed(environment, prefix);
  }
  for (const std::string_view name : foreign_rank_variables()) environment.erase(std::string(name));
  for (const std::string_view name : kPlaceNames) environment.erase(std::string(name));
  for (const std::string_view prefix : kPlacePrefixes) erase_prefixed(environment, prefix);
}

}  // namespace godwit
