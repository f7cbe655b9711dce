// launch/discovery.cc: rank, address, job and token, each from the first source that has it.
#include "launch/discovery.h"

#include <fmt/format.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/errors.h"
#include "base/prng.h"
#include "base/try.h"
#include "launch/host_list.h"
#include "launch/job_dir.h"

namespace godwit {
namespace {

constexpr std::size_t kJobCharactersMax = 48;
constexpr std::size_t kTokenBytesMin = 8;
constexpr std::size_t kTokenBytesMax = 256;
// The rendezvous port of a Slurm step: below the usual ephemeral ports.
constexpr std::uint64_t kPortFirst = 20000;
constexpr std::uint64_t kPortCount = 10000;

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = mix64(seed, text.size());
  for (const char c : text) hash = mix64(hash, static_cast<unsigned char>(c));
  return hash;
}

// What the launcher itself tells about the job, apart from ranks.
struct LauncherFacts {
  bool local = false;
  std::string job;         // empty: nothing that tells this job from others
  std::string secret;      // a token may be derived from it; only used if local
  std::string rendezvous;  // empty: the launcher implies none
  std::string name;        // for messages
  std::string how_to_set;  // how to give all processes a variable: "export NAME=VALUE"
  // How to give them a secret, which must not be on a command line: others could list it.
  std::string how_to_set_token = "export GODWIT_TOKEN=SECRET";
};

bool is_unfit_for_job(char c) {
  const bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    c == '.' || c == '_' || c == '-';
  return !fits;
}

// What of a launcher's name for a job goes into ours.
std::string fit_for_job(std::string text) {
  std::replace_if(text.begin(), text.end(), is_unfit_for_job, '_');
  return text.substr(0, kJobCharactersMax / 3);
}

std::string value_or_empty(const Environment& environment, std::string_view name) {
  return value_of(environment, name).value_or("");
}

// PMIX_NAMESPACE alone would not do: Open MPI 4 makes it from 16 bits of host and pid. Its key for
// the transports is random, the same in all processes and in no other job.
LauncherFacts open_mpi_facts(const Environment& environment, std::int64_t nodes) {
  const std::string space = value_or_empty(environment, "PMIX_NAMESPACE");
  const std::string key = value_or_empty(environment, "OMPI_MCA_orte_precondition_transports");
  const std::string server = value_or_empty(environment, "OMPI_MCA_orte_hnp_uri");
  LauncherFacts facts;
  facts.name = "Open MPI's mpirun";
  facts.how_to_set = "mpirun -x NAME=VALUE";
  facts.how_to_set_token += ", mpirun -x GODWIT_TOKEN";
  facts.local = value_or_empty(environment, "OMPI_COMM_WORLD_LOCAL_SIZE") == std::to_string(nodes);
  facts.secret = fmt::format("{}|{}|{}", space, key, server);
  if (!space.empty() || !key.empty()) {
    facts.job = fmt::format("ompi-{}-{:08x}", fit_for_job(space),
                            static_cast<std::uint32_t>(hash_of(facts.secret, 1)));
  }
  return facts;
}

// Hydra sets nothing that differs between two jobs; the proxy that started all processes of this
// job on this host does.
LauncherFacts mpich_facts(const Environment& environment, std::int64_t nodes,
                          const ProcessFacts& process) {
  LauncherFacts facts;
  facts.name = "MPICH's mpirun";
  facts.how_to_set = "mpirun -genv NAME VALUE";
  facts.local = value_or_empty(environment, "MPI_LOCALNRANKS") == std::to_string(nodes);
  for (const ProcessEntry& ancestor : process.ancestors) {
    if (ancestor.name != "hydra_pmi_proxy") continue;
    facts.job = fmt::format("mpich-{}-{}", ancestor.pid, ancestor.start);
    break;
  }
  facts.secret = facts.job;
  return facts;
}

LauncherFacts pmix_facts(const Environment& environment) {
  const std::string space = value_or_empty(environment, "PMIX_NAMESPACE");
  LauncherFacts facts;
  facts.name = "a PMIx launcher";
  facts.how_to_set = "export NAME=VALUE";
  facts.secret = space + "|" + value_or_empty(environment, "PMIX_SERVER_URI2");
  if (!space.empty()) {
    facts.job = fmt::format("pmix-{}-{:08x}", fit_for_job(space),
                            static_cast<std::uint32_t>(hash_of(facts.secret, 1)));
  }
  return facts;
}

// Several slurmd on one host, as in tests: srun reached this one over loopback and it goes by
// another name than the host. (Loopback alone can be a host whose own name is 127.0.1.1.)
bool is_loopback_cluster(const Environment& environment, const ProcessFacts& process) {
  const std::string launch_host = value_or_empty(environment, "SLURM_LAUNCH_NODE_IPADDR");
  const std::string node = value_or_empty(environment, "SLURMD_NODENAME");
  const auto short_name = [](const std::string& name) { return name.substr(0, name.find('.')); };
  return launch_host.starts_with("127.") && !node.empty() &&
         short_name(node) != short_name(process.host);
}

Result<LauncherFacts> slurm_facts(const Environment& environment, const ProcessFacts& process) {
  LauncherFacts facts;
  facts.name = "srun";
  facts.how_to_set = "export NAME=VALUE";
  const std::string job = value_or_empty(environment, "SLURM_JOB_ID");
  const std::string step = value_or_empty(environment, "SLURM_STEP_ID");
  const std::string cluster = value_or_empty(environment, "SLURM_CLUSTER_NAME");
  if (job.empty()) return invalid_argument("SLURM_STEP_ID is set but SLURM_JOB_ID is not");
  facts.job = fmt::format("slurm-{}-{}.{}", fit_for_job(cluster), fit_for_job(job), step);
  facts.secret = facts.job;
  facts.local = value_or_empty(environment, "SLURM_STEP_NUM_NODES") == "1" ||
                is_loopback_cluster(environment, process);
  if (facts.local) return facts;

  const auto list = value_of(environment, "SLURM_STEP_NODELIST");
  if (!list) return invalid_argument("SLURM_STEP_ID is set but SLURM_STEP_NODELIST is not");
  GODWIT_TRY_ASSIGN(const auto hosts, expand_host_list(*list));
  facts.rendezvous = fmt::format("tcp:{}:{}", hosts.front(),
                                 kPortFirst + hash_of(job + "." + step, 2) % kPortCount);
  return facts;
}

Result<LauncherFacts> launcher_facts(const Environment& environment,
                                     const std::vector<RankClaim>& claims, std::int64_t nodes,
                                     const ProcessFacts& process) {
  const auto has = [&](RankSource source) {
    return std::any_of(claims.begin(), claims.end(),
                       [&](const RankClaim& claim) { return claim.source == source; });
  };
  if (has(RankSource::kSlurm)) return slurm_facts(environment, process);
  if (has(RankSource::kOpenMpi)) return open_mpi_facts(environment, nodes);
  if (has(RankSource::kPmi)) return mpich_facts(environment, nodes, process);
  if (has(RankSource::kPmix)) return pmix_facts(environment);
  LauncherFacts facts;
  facts.name = to_string(claims[0].source);
  facts.how_to_set = "export NAME=VALUE";
  return facts;
}

// The address that the user gave; empty if there is none.
Result<std::string> explicit_rendezvous(const Environment& environment, const PlaceFlags& flags) {
  const auto in_context = [](Result<std::string> address, std::string_view name) {
    return address.ok() ? std::move(address)
                        : Result<std::string>(std::move(address).error().in_context(name));
  };
  if (flags.rendezvous) return in_context(parse_rendezvous(*flags.rendezvous), "--rendezvous");
  if (const auto address = value_of(environment, "GODWIT_RENDEZVOUS")) {
    return in_context(parse_rendezvous(*address), "GODWIT_RENDEZVOUS");
  }
  const auto host = value_of(environment, "MASTER_ADDR");
  const auto port = value_of(environment, "MASTER_PORT");
  if (!host && !port) return std::string();
  if (!host || !port) {
    return invalid_argument("{} is set but {} is not: set both or none",
                            host ? "MASTER_ADDR" : "MASTER_PORT",
                            host ? "MASTER_PORT" : "MASTER_ADDR");
  }
  const bool is_bare_ipv6 = host->find(':') != std::string::npos && !host->starts_with('[');
  const std::string bracketed = is_bare_ipv6 ? "[" + *host + "]" : *host;
  return in_context(parse_rendezvous(fmt::format("tcp:{}:{}", bracketed, *port)),
                    "MASTER_ADDR and MASTER_PORT");
}

// LauncherFacts::how_to_set for one variable.
std::string setting(std::string how, std::string_view name, std::string_view value) {
  how.replace(how.find("VALUE"), 5, value);
  return how.replace(how.find("NAME"), 4, name);
}

Error no_address(const JobPlace& place, const LauncherFacts& launcher) {
  if (launcher.local) {  // then it is the name of the job that is missing
    return invalid_argument(
        "node {} of {} cannot tell its job from others under {}: set a name of its own, {}",
        place.node.value(), place.nodes, launcher.name,
        setting(launcher.how_to_set, "GODWIT_JOB", "NAME"));
  }
  return invalid_argument(
      "node {} of {} under {} does not know where to meet the others: give the host of node 0 and "
      "a free port there, {}, and a secret, {}",
      place.node.value(), place.nodes, launcher.name,
      setting(launcher.how_to_set, "GODWIT_RENDEZVOUS", "tcp:HOST:PORT"),
      launcher.how_to_set_token);
}

Result<std::string> find_token(const Environment& environment, const JobPlace& place,
                               const LauncherFacts& launcher) {
  if (auto token = value_of(environment, "GODWIT_TOKEN")) {
    if (token->size() < kTokenBytesMin || token->size() > kTokenBytesMax) {
      return invalid_argument("GODWIT_TOKEN has {} bytes, not {} to {}", token->size(),
                              kTokenBytesMin, kTokenBytesMax);
    }
    return *std::move(token);
  }
  if (!place.local) {
    return invalid_argument(
        "the {} nodes under {} are on several hosts and have no shared secret: {} (for instance "
        "of `openssl rand -hex 16`)",
        place.nodes, launcher.name, launcher.how_to_set_token);
  }
  const std::string seed = launcher.secret + "|" + place.job + "|" + place.rendezvous;
  return fmt::format("{:016x}{:016x}", hash_of(seed, 3), hash_of(seed, 4));
}

Result<std::string> find_job(const Environment& environment, const LauncherFacts& launcher,
                             const std::string& rendezvous) {
  if (auto job = value_of(environment, "GODWIT_JOB")) {
    if (job->size() > kJobCharactersMax || job->starts_with('.') ||
        std::any_of(job->begin(), job->end(), is_unfit_for_job)) {
      return invalid_argument("GODWIT_JOB is '{}': at most {} letters, digits, '.', '_' and '-'",
                              *job, kJobCharactersMax);
    }
    return *std::move(job);
  }
  if (!launcher.job.empty()) return launcher.job;
  if (rendezvous.empty()) return std::string();
  return fmt::format("at-{:016x}", hash_of(rendezvous, 5));
}

Result<> find_meeting_point(const Environment& environment, const PlaceFlags& flags,
                            const ProcessFacts& process, const LauncherFacts& launcher,
                            JobPlace& place) {
  GODWIT_TRY_ASSIGN(place.rendezvous, explicit_rendezvous(environment, flags));
  place.local = launcher.local || is_on_this_host(place.rendezvous);
  if (place.rendezvous.empty()) place.rendezvous = launcher.rendezvous;
  GODWIT_TRY_ASSIGN(place.job, find_job(environment, launcher, place.rendezvous));
  if (!place.job.empty()) {
    place.socket_dir =
        fmt::format("{}/godwit-{}-{}", temporary_dir(value_of(environment, "TMPDIR").value_or("")),
                    process.user, place.job);
  }
  if (place.rendezvous.empty() && place.local && !place.job.empty()) {
    place.rendezvous = "unix:" + place.socket_dir + "/rendezvous";
  }
  if (place.rendezvous.starts_with("unix:")) {
    place.socket_dir = place.rendezvous.substr(5, place.rendezvous.rfind('/') - 5);
  }
  return {};
}

// MPI tells the rank within the group; all else comes from `godwit launch`.
Result<JobPlace> discover_rank(const Environment& environment, const PlaceFlags& flags,
                               const ProcessFacts& facts, const GroupVariables& grouped) {
  Environment of_group = environment;
  of_group.erase("GODWIT_NODES");  // counts the table nodes and all groups
  GODWIT_TRY_ASSIGN(const auto claims, rank_claims(of_group, flags.rank, facts.ancestors));
  RankPlace group = grouped.place;
  if (!claims.empty()) {
    GODWIT_TRY_ASSIGN(const AgreedRank agreed, agreed_rank(claims));
    if (agreed.size != group.size) {
      return invalid_argument(
          "{}, but GODWIT_NODES={}, GODWIT_SERVERS={} and GODWIT_GROUPS={} "
          "make groups of {}",
          claims[0].text, grouped.nodes, grouped.servers, group.groups, group.size);
    }
    group.rank = agreed.rank;
  } else if (group.size > 1) {
    return invalid_argument(
        "group {} has {} ranks, but nothing says which of them this process "
        "is: is it started by mpirun or srun?",
        group.group, group.size);
  }
  JobPlace place{.node = NodeId(grouped.base + group.rank),
                 .nodes = grouped.nodes,
                 .source = "GODWIT_NODE_BASE",
                 .servers = grouped.servers,
                 .role = NodeRole::kRank,
                 .group = group};
  LauncherFacts launcher;
  launcher.name = "godwit launch";
  launcher.how_to_set = "export NAME=VALUE";
  GODWIT_TRY(find_meeting_point(environment, flags, facts, launcher, place));
  if (place.rendezvous.empty()) return no_address(place, launcher);
  GODWIT_TRY_ASSIGN(place.token, find_token(environment, place, launcher));
  return place;
}

}  // namespace

bool is_on_this_host(std::string_view rendezvous) {
  return rendezvous.starts_with("unix:") || rendezvous.starts_with("tcp:127.") ||
         rendezvous.starts_with("tcp:localhost:") || rendezvous.starts_with("tcp:[::1]:");
}

ProcessFacts this_process() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {static_cast<std::int64_t>(geteuid()), host.data(), ancestors()};
}

Result<JobPlace> discover(const Environment& environment, const PlaceFlags& flags,
                          const ProcessFacts& facts) {
  GODWIT_TRY_ASSIGN(const GroupVariables grouped, group_variables(environment));
  if (grouped.role == NodeRole::kRank) return discover_rank(environment, flags, facts, grouped);
  GODWIT_TRY_ASSIGN(const auto claims, rank_claims(environment, flags.rank, facts.ancestors));
  JobPlace place{.servers = grouped.servers, .role = grouped.role};
  if (claims.empty()) {
    if (grouped.servers > 1 || grouped.role == NodeRole::kServer) {
      return invalid_argument("GODWIT_SERVERS={}, but nothing says which node this process is",
                              grouped.servers);
    }
    place.source = "alone";
    return place;
  }
  GODWIT_TRY_ASSIGN(const AgreedRank agreed, agreed_rank(claims));
  place.node = NodeId(agreed.rank);
  place.nodes = agreed.size;
  place.source = to_string(claims[0].source);
  if (place.servers > place.nodes) {
    return invalid_argument("GODWIT_SERVERS={}, but the job has {} nodes", place.servers,
                            place.nodes);
  }
  GODWIT_TRY_ASSIGN(const LauncherFacts launcher,
                    launcher_facts(environment, claims, place.nodes, facts));
  GODWIT_TRY(find_meeting_point(environment, flags, facts, launcher, place));
  if (place.nodes == 1) {
    place.local = true;
    if (place.job.empty()) return place;
  } else if (place.rendezvous.empty()) {
    return no_address(place, launcher);
  }
  GODWIT_TRY_ASSIGN(place.token, find_token(environment, place, launcher));
  return place;
}

Result<std::string> parse_rendezvous(const std::string& text) {
  const Error malformed = invalid_argument(
      "'{}' is not an address such as tcp:host:7077, tcp:[::1]:7077 or unix:/tmp/socket", text);
  if (text.starts_with("unix:")) {
    const std::string path = text.substr(5);
    if (!path.starts_with('/') || path.ends_with('/')) return malformed;
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
      return invalid_argument("'{}': the path of a socket has at most {} bytes, not {}", text,
                              sizeof(sockaddr_un::sun_path) - 1, path.size());
    }
    return text;
  }
  const std::string rest = text.starts_with("tcp:") ? text.substr(4) : text;
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos) return malformed;
  const std::string host = rest.substr(0, colon);
  const auto port = parse_whole_number(rest.substr(colon + 1));
  const bool is_ipv6 = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (host.empty() || !port || *port < 1 || *port > 65535) return malformed;
  if (host.find_first_of(is_ipv6 ? " \t\n/" : "[]:/ \t\n") != std::string::npos) return malformed;
  return fmt::format("tcp:{}:{}", host, *port);
}

}  // namespace godwit
