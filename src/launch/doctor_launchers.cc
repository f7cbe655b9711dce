// launch/doctor_launchers.cc: asking mpirun for its version; reading Slurm's variables.
#include "launch/doctor_launchers.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>

#include "base/time_source.h"
#include "launch/child_process.h"
#include "launch/discovery.h"
#include "launch/rank_claims.h"

namespace godwit {
namespace {

// The first kilobytes that a command writes to its output; it is killed after the deadline.
std::string output_of(const std::string& path, const std::vector<std::string>& arguments,
                      const Environment& environment) {
  auto child = ChildProcess::spawn(path, arguments, environment);
  if (!child.ok()) return "";
  const RealTime time;
  const Time deadline = time.now() + std::chrono::seconds(5);
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() < buffer.size()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - time.now()).count();
    pollfd entry{child->out().fd(), POLLIN, 0};
    if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) <= 0) break;
    const ssize_t got = read(child->out().fd(), buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string first_line_with(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string_view::npos) return "";
  const std::size_t newline = text.rfind('\n', at);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string line(text.substr(begin, text.find('\n', at) - begin));
  line.erase(0, line.find_first_not_of(" \t"));
  return line;
}

}  // namespace

Finding judge_mpi(std::string_view version, bool is_root, const Environment& environment) {
  Finding finding{"mpi", Health::kOk, "", ""};
  if (version.empty()) {
    finding.found = "no mpirun (needed only to start jobs with it)";
  } else if (has(version, "Open MPI") || has(version, "OpenRTE") || has(version, "Open RTE")) {
    finding.found = "Open MPI: " + first_line_with(version, "Open");
    const bool is_allowed = value_of(environment, "OMPI_ALLOW_RUN_AS_ROOT") == "1" &&
                            value_of(environment, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1";
    if (is_root && !is_allowed) {
      finding.health = Health::kWarn;
      finding.found += ", and this is root";
      finding.fix =
          "mpirun --allow-run-as-root, or export OMPI_ALLOW_RUN_AS_ROOT=1 "
          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
    }
  } else if (has(version, "HYDRA")) {
    finding.found = "MPICH (Hydra): " + first_line_with(version, "Version:");
  } else {
    finding.health = Health::kWarn;
    finding.found = "unknown: " + first_line_with(version, "");
    finding.fix =
        "godwit knows the mpirun of Open MPI and MPICH; with another set GODWIT_NODE, "
        "GODWIT_NODES, GODWIT_RENDEZVOUS and GODWIT_TOKEN";
  }
  return finding;
}

Finding examine_mpi(const Environment& environment) {
  const auto path = find_command("mpirun", environment);
  const std::string version =
      path.ok() ? output_of(*path, {"mpirun", "--version"}, environment) : "";
  if (path.ok() && version.empty()) {
    return {"mpi", Health::kWarn, *path + " does not answer",
            "reinstall it: apt-get install "
            "openmpi-bin"};
  }
  return judge_mpi(version, geteuid() == 0, environment);
}

Finding judge_slurm(const std::string& srun, const Environment& environment) {
  const auto job = value_of(environment, "SLURM_JOB_ID");
  if (!job) {
    return {"slurm", Health::kOk,
            srun.empty() ? "no srun (needed only on a Slurm cluster)" : srun + ", not inside a job",
            ""};
  }
  const auto claims = rank_claims(environment, {}, {});
  if (claims.ok()) {
    for (const RankClaim& claim : *claims) {
      if (claim.source != RankSource::kSlurm) continue;
      return {"slurm", Health::kOk,
              fmt::format("job {}, step {}: {}", *job,
                          value_of(environment, "SLURM_STEP_ID").value_or("?"), claim.text),
              ""};
    }
  }
  return {"slurm", Health::kWarn, fmt::format("job {}, but not inside a step", *job),
          "this process runs alone; start the nodes with srun"};
}

Finding examine_slurm(const Environment& environment) {
  const auto path = find_command("srun", environment);
  return judge_slurm(path.ok() ? *path : "", environment);
}

Finding examine_place(const Environment& environment) {
  const auto place = discover(environment, {}, this_process());
  if (!place.ok()) {
    return {"place", Health::kFail, place.error().message(), "as said; then run this again"};
  }
  if (place->source == "alone") return {"place", Health::kOk, "alone: a job of one node", ""};
  return {"place", Health::kOk,
          fmt::format("node {} of {} by {}, meeting at {}", place->node.value(), place->nodes,
                      place->source, place->rendezvous.empty() ? "-" : place->rendezvous),
          ""};
}

}  // namespace godwit
