// launch/discovery_test.cc: places from environments as Open MPI 4.1.4, MPICH 4.0.2 and Slurm 22.05
// really set them, and what the user is told when something is missing.
#include "launch/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const ProcessFacts kFacts{.user = 1000, .host = "vm", .ancestors = {}};

JobPlace place_of(const Environment& environment, const ProcessFacts& facts = kFacts,
                  const PlaceFlags& flags = {}) {
  return discover(environment, flags, facts).value();
}

std::string error_of(const Environment& environment, const ProcessFacts& facts = kFacts,
                     const PlaceFlags& flags = {}) {
  const auto place = discover(environment, flags, facts);
  if (place.ok()) return "no error";
  EXPECT_EQ(place.error().code(), ErrorCode::kInvalidArgument);
  return place.error().message();
}

Environment with(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

Environment open_mpi(const std::string& rank) {
  return {{"OMPI_COMM_WORLD_RANK", rank},
          {"OMPI_COMM_WORLD_SIZE", "4"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
          {"OMPI_MCA_orte_hnp_uri", "352387072.0;tcp://192.0.2.2:47925"},
          {"OMPI_MCA_orte_precondition_transports", "33986d0bcc306573-8348727c82725085"},
          {"PMIX_NAMESPACE", "352387073"},
          {"PMIX_RANK", rank}};
}

Environment mpich(const std::string& rank) {
  return {{"PMI_RANK", rank}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "4"}, {"PMI_FD", "6"}};
}

ProcessFacts under_proxy(std::int64_t pid) {
  return {.user = 1000,
          .host = "vm",
          .ancestors = {{.pid = 70, .name = "sh"},
                        {.pid = pid, .name = "hydra_pmi_proxy", .start = 5}}};
}

Environment slurm(const std::string& rank) {
  return {{"SLURM_JOB_ID", "17"},         {"SLURM_STEP_ID", "3"},
          {"SLURM_CLUSTER_NAME", "site"}, {"SLURM_PROCID", rank},
          {"SLURM_NTASKS", "4"},          {"SLURM_STEP_NUM_TASKS", "4"},
          {"SLURM_STEP_NUM_NODES", "2"},  {"SLURM_STEP_NODELIST", "vm[07-08]"},
          {"SLURMD_NODENAME", "vm07"},    {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"}};
}

const Environment kLaunched = {{"GODWIT_NODE", "2"},
                               {"GODWIT_NODES", "4"},
                               {"GODWIT_JOB", "1f2e"},
                               {"GODWIT_TOKEN", "0123456789abcdef"},
                               {"GODWIT_RENDEZVOUS", "unix:/tmp/godwit-x/rendezvous"}};

TEST(Discovery, NothingSetIsAloneOnThisHost) {
  const JobPlace place = place_of({{"PATH", "/bin"}});
  EXPECT_EQ(place.node, NodeId(0));
  EXPECT_EQ(place.nodes, 1);
  EXPECT_EQ(place.source, "alone");
  EXPECT_TRUE(place.local);
  EXPECT_EQ(place.rendezvous, "");
}

TEST(Discovery, TheLaunchersWordIsTakenAsItIs) {
  const JobPlace place = place_of(kLaunched);
  EXPECT_EQ(place.node, NodeId(2));
  EXPECT_EQ(place.nodes, 4);
  EXPECT_EQ(place.source, "GODWIT_NODE");
  EXPECT_EQ(place.job, "1f2e");
  EXPECT_EQ(place.token, "0123456789abcdef");
  EXPECT_EQ(place.rendezvous, "unix:/tmp/godwit-x/rendezvous");
  EXPECT_EQ(place.socket_dir, "/tmp/godwit-x");
  EXPECT_TRUE(place.local);
}

TEST(Discovery, MasterAddressOnLoopbackNeedsNothingElse) {
  const Environment environment = {
      {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}};
  const JobPlace place = place_of(environment);
  EXPECT_EQ(place.rendezvous, "tcp:127.0.0.1:29500");
  EXPECT_TRUE(place.local);
  EXPECT_THAT(place.socket_dir, StartsWith("/tmp/godwit-1000-"));
  EXPECT_EQ(place.token, place_of(with(environment, {{"RANK", "0"}})).token);
  EXPECT_NE(place.job, place_of(with(environment, {{"MASTER_PORT", "29501"}})).job);
  EXPECT_EQ(place_of(with(environment, {{"MASTER_ADDR", "::1"}})).rendezvous, "tcp:[::1]:29500");
}

TEST(Discovery, AnotherHostNeedsAToken) {
  const Environment environment = {
      {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "hosta"}, {"MASTER_PORT", "29500"}};
  EXPECT_THAT(error_of(environment), HasSubstr("export GODWIT_TOKEN=SECRET"));
  const JobPlace place = place_of(with(environment, {{"GODWIT_TOKEN", "long enough"}}));
  EXPECT_FALSE(place.local);
  EXPECT_EQ(place.token, "long enough");
}

TEST(Discovery, RanksWithoutAnAddressAreToldWhatToSet) {
  const std::string error = error_of({{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  EXPECT_THAT(error, HasSubstr("export GODWIT_RENDEZVOUS=tcp:HOST:PORT"));
  EXPECT_THAT(error_of({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}}),
              HasSubstr("MASTER_ADDR is set but MASTER_PORT is not"));
  EXPECT_THAT(
      error_of(
          {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}}),
      HasSubstr("70000"));
}

TEST(Discovery, MpirunOnOneHostMeetsInAPrivateDirectory) {
  const JobPlace place = place_of(open_mpi("3"));
  EXPECT_EQ(place.node, NodeId(3));
  EXPECT_EQ(place.source, "OMPI_COMM_WORLD_RANK");
  EXPECT_TRUE(place.local);
  EXPECT_THAT(place.job, StartsWith("ompi-352387073-"));
  EXPECT_EQ(place.rendezvous, "unix:/tmp/godwit-1000-" + place.job + "/rendezvous");
  EXPECT_EQ(place.token.size(), 32U);
  const JobPlace other_rank = place_of(open_mpi("0"));
  EXPECT_EQ(other_rank.rendezvous, place.rendezvous);
  EXPECT_EQ(other_rank.token, place.token);
}

TEST(Discovery, TwoMpirunsWithOneNamespaceStillDiffer) {
  const JobPlace place = place_of(open_mpi("0"));
  const JobPlace other =
      place_of(with(open_mpi("0"), {{"OMPI_MCA_orte_precondition_transports", "1-2"}}));
  EXPECT_NE(place.job, other.job);
  EXPECT_NE(place.token, other.token);
}

TEST(Discovery, MpirunOverHostsIsToldWhichVariablesToPass) {
  const Environment hosts = with(open_mpi("3"), {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  const std::string error = error_of(hosts);
  EXPECT_THAT(error, HasSubstr("node 3 of 4"));
  EXPECT_THAT(error, HasSubstr("mpirun -x GODWIT_RENDEZVOUS=tcp:HOST:PORT"));
  EXPECT_THAT(error_of(with(hosts, {{"GODWIT_RENDEZVOUS", "hosta:7077"}})),
              HasSubstr("export GODWIT_TOKEN=SECRET, mpirun -x GODWIT_TOKEN "));
  const JobPlace place = place_of(
      with(hosts, {{"GODWIT_RENDEZVOUS", "hosta:7077"}, {"GODWIT_TOKEN", "a long secret"}}));
  EXPECT_EQ(place.rendezvous, "tcp:hosta:7077");
  EXPECT_FALSE(place.local);
}

TEST(Discovery, MpichJobsAreToldApartByTheirProxy) {
  const JobPlace place = place_of(mpich("1"), under_proxy(4711));
  EXPECT_EQ(place.source, "PMI_RANK");
  EXPECT_EQ(place.job, "mpich-4711-5");
  EXPECT_EQ(place.rendezvous, "unix:/tmp/godwit-1000-mpich-4711-5/rendezvous");
  EXPECT_EQ(place_of(mpich("0"), under_proxy(4711)).token, place.token);
  EXPECT_NE(place_of(mpich("1"), under_proxy(4712)).job, place.job);
  // Where the proxy cannot be seen, the user must name the job.
  EXPECT_THAT(error_of(mpich("1")), HasSubstr("mpirun -genv GODWIT_JOB NAME"));
  EXPECT_EQ(place_of(with(mpich("1"), {{"GODWIT_JOB", "mine"}})).rendezvous,
            "unix:/tmp/godwit-1000-mine/rendezvous");
  EXPECT_THAT(error_of(with(mpich("1"), {{"MPI_LOCALNRANKS", "1"}}), under_proxy(4711)),
              HasSubstr("mpirun -genv GODWIT_RENDEZVOUS tcp:HOST:PORT"));
}

TEST(Discovery, AStepOverHostsMeetsOnItsFirstHost) {
  EXPECT_THAT(error_of(slurm("1")), HasSubstr("export GODWIT_TOKEN=SECRET"));
  const Environment secret = {{"GODWIT_TOKEN", "a long secret"}};
  const JobPlace place = place_of(with(slurm("1"), secret));
  EXPECT_EQ(place.source, "SLURM_PROCID");
  EXPECT_FALSE(place.local);
  EXPECT_EQ(place.job, "slurm-site-17.3");
  EXPECT_THAT(place.rendezvous, StartsWith("tcp:vm07:2"));
  std::set<std::string> ports;
  for (int job = 0; job < 1000; ++job) {
    const JobPlace other =
        place_of(with(with(slurm("1"), secret), {{"SLURM_JOB_ID", std::to_string(job)}}));
    ASSERT_THAT(other.rendezvous, testing::MatchesRegex("tcp:vm07:2[0-9][0-9][0-9][0-9]"));
    ports.insert(other.rendezvous);
  }
  EXPECT_GT(ports.size(), 900U);  // 1,000 of 10,000 by chance: 952
  EXPECT_NE(place_of(with(with(slurm("1"), secret), {{"SLURM_STEP_ID", "4"}})).rendezvous,
            place.rendezvous);
}

TEST(Discovery, AStepOnOneHostNeedsNothing) {
  const JobPlace one =
      place_of(with(slurm("1"), {{"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_STEP_NODELIST", "vm07"}}));
  EXPECT_TRUE(one.local);
  EXPECT_EQ(one.rendezvous, "unix:/tmp/godwit-1000-slurm-site-17.3/rendezvous");
  const JobPlace fake = place_of(
      with(slurm("1"), {{"SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1"}, {"SLURMD_NODENAME", "n1"}}));
  EXPECT_TRUE(fake.local);
  // The host's own name behind a loopback address does not make the others local.
  EXPECT_THAT(error_of(with(slurm("1"), {{"SLURM_LAUNCH_NODE_IPADDR", "127.0.1.1"},
                                         {"SLURMD_NODENAME", "vm.site.org"}})),
              HasSubstr("several hosts"));
}

TEST(Discovery, OneProcessOfALauncherIsAJobOfOne) {
  EXPECT_EQ(place_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).nodes, 1);
  EXPECT_EQ(place_of(with(slurm("0"), {{"SLURM_STEP_NUM_TASKS", "1"}})).nodes, 1);
  EXPECT_EQ(place_of({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}).nodes, 1);
}

TEST(Discovery, FlagsAddAndMustNotContradict) {
  PlaceFlags flags{.rank = {.node = 1, .nodes = 2}, .rendezvous = "unix:/run/x/meet"};
  const JobPlace place = place_of({}, kFacts, flags);
  EXPECT_EQ(place.source, "flags");
  EXPECT_EQ(place.rendezvous, "unix:/run/x/meet");
  EXPECT_THAT(error_of(kLaunched, kFacts, flags), HasSubstr("GODWIT_NODE=2"));
  flags.rank = {};
  EXPECT_EQ(place_of(kLaunched, kFacts, flags).rendezvous, "unix:/run/x/meet");
}

TEST(Discovery, BadValuesAreRefusedAndTheTokenIsNeverShown) {
  EXPECT_THAT(error_of(with(kLaunched, {{"GODWIT_JOB", "../up"}})), HasSubstr("GODWIT_JOB"));
  EXPECT_THAT(error_of(with(kLaunched, {{"GODWIT_JOB", ".."}})), HasSubstr("GODWIT_JOB"));
  EXPECT_THAT(error_of(with(kLaunched, {{"GODWIT_JOB", std::string(49, 'x')}})),
              HasSubstr("GODWIT_JOB"));
  EXPECT_THAT(error_of(with(kLaunched, {{"GODWIT_RENDEZVOUS", "unix:relative"}})),
              HasSubstr("GODWIT_RENDEZVOUS: 'unix:relative'"));
  const std::string error = error_of(with(kLaunched, {{"GODWIT_TOKEN", "hunter2"}}));
  EXPECT_THAT(error, HasSubstr("GODWIT_TOKEN has 7 bytes"));
  EXPECT_THAT(error, Not(HasSubstr("hunter2")));
}

TEST(Discovery, AddressesAreUnderstoodOrRefused) {
  EXPECT_EQ(*parse_rendezvous("host:7077"), "tcp:host:7077");
  EXPECT_EQ(*parse_rendezvous("tcp:10.0.0.1:1"), "tcp:10.0.0.1:1");
  EXPECT_EQ(*parse_rendezvous("[fd00::2]:65535"), "tcp:[fd00::2]:65535");
  EXPECT_EQ(*parse_rendezvous("unix:/a"), "unix:/a");
  for (const std::string text :
       {"", "host", "host:", ":1", "host:0", "host:65536", "host:x", "fd00::2:1", "[]:1",
        "unix:", "unix:a", "unix:/", "unix:/a/", "tcp://host:1", "a b:1"}) {
    EXPECT_FALSE(parse_rendezvous(text).ok()) << text;
  }
  EXPECT_THAT(parse_rendezvous("unix:/" + std::string(120, 'x')).error().message(),
              HasSubstr("at most 107 bytes"));
}

TEST(Discovery, SocketPathsFitForTheLongestNames) {
  const Environment environment = with(
      mpich("1"), {{"GODWIT_JOB", std::string(48, 'x')}, {"TMPDIR", "/" + std::string(23, 't')}});
  const JobPlace place = place_of(environment, {4294967295, "vm", {}});
  EXPECT_TRUE(parse_rendezvous(place.rendezvous).ok()) << place.rendezvous;
}

TEST(Discovery, ThisProcessHasAHostAndAParent) {
  EXPECT_NE(this_process().host, "");
  EXPECT_FALSE(this_process().ancestors.empty());
}

const Environment kRank = {{"GODWIT_NODES", "5"},
                           {"GODWIT_SERVERS", "1"},
                           {"GODWIT_ROLE", "rank"},
                           {"GODWIT_GROUP", "1"},
                           {"GODWIT_GROUPS", "2"},
                           {"GODWIT_GROUP_LIFE", "0"},
                           {"GODWIT_NODE_BASE", "3"},
                           {"GODWIT_JOB", "1f2e"},
                           {"GODWIT_TOKEN", "0123456789abcdef"},
                           {"GODWIT_RENDEZVOUS", "unix:/tmp/godwit-x/rendezvous"}};

TEST(DiscoverGroups, ARankIsCountedFromTheFirstOfItsGroup) {
  const Environment mpi = {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}};
  const JobPlace place = place_of(with(kRank, mpi));
  EXPECT_EQ(place.node, NodeId(4));
  EXPECT_EQ(place.nodes, 5);
  EXPECT_EQ(place.servers, 1);
  EXPECT_EQ(place.group->rank, 1);
}

TEST(DiscoverGroups, ARankThatMpiDoesNotKnowIsRefused) {
  EXPECT_THAT(error_of(kRank), HasSubstr("started by mpirun or srun"));
  EXPECT_THAT(error_of(with(kRank, open_mpi("1"))), HasSubstr("OMPI_COMM_WORLD_SIZE=4"));
  EXPECT_THAT(error_of(with(kRank, {{"PMI_RANK", "0"},
                                    {"PMI_SIZE", "2"},
                                    {"OMPI_COMM_WORLD_RANK", "1"},
                                    {"OMPI_COMM_WORLD_SIZE", "2"}})),
              HasSubstr("disagree"));
  EXPECT_THAT(error_of(with(kRank, {{"OMPI_COMM_WORLD_RANK", "1"},
                                    {"OMPI_COMM_WORLD_SIZE", "2"},
                                    {"GODWIT_RENDEZVOUS", ""}})),
              HasSubstr("GODWIT_RENDEZVOUS"));
}

TEST(DiscoverGroups, TheNumberOfTableNodesIsTakenWithoutGroupsToo) {
  EXPECT_EQ(place_of(with(kLaunched, {{"GODWIT_SERVERS", "2"}})).servers, 2);
  EXPECT_EQ(place_of(kLaunched).servers, 0);
  EXPECT_THAT(error_of(with(kLaunched, {{"GODWIT_SERVERS", "5"}})), HasSubstr("GODWIT_SERVERS=5"));
  EXPECT_THAT(error_of({{"GODWIT_SERVERS", "2"}}), HasSubstr("GODWIT_SERVERS=2"));
}

}  // namespace
}  // namespace godwit
