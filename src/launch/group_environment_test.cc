// launch/group_environment_test.cc: what the launcher says, discovery understands.
#include "launch/group_environment.h"

#include <gtest/gtest.h>

#include "launch/discovery.h"

namespace godwit {
namespace {

const GroupShape kShape{.servers = 2, .groups = 3, .ranks_per_group = 2};
const std::string kMeet = "unix:/tmp/godwit-x/rendezvous";

Environment job(const Environment& environment = {}) {
  return job_environment(kShape, environment, "1f2e", kMeet, "0123456789abcdef");
}

Environment with(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

TEST(GroupEnvironment, TableNodesFindTheirPlaces) {
  for (std::int64_t node = 0; node < 2; ++node) {
    const JobPlace place = discover(server_environment(job(), node), {}, {}).value();
    EXPECT_EQ(place.node, NodeId(node));
    EXPECT_EQ(place.nodes, 8);
    EXPECT_EQ(place.servers, 2);
    EXPECT_EQ(place.role, NodeRole::kServer);
    EXPECT_EQ(place.group, std::nullopt);
    EXPECT_EQ(place.rendezvous, kMeet);
    EXPECT_EQ(place.job, "1f2e");
    EXPECT_EQ(place.token, "0123456789abcdef");
  }
}

TEST(GroupEnvironment, RanksFindTheirPlacesWhateverMpiStartsThem) {
  for (std::int64_t group = 0; group < 3; ++group) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const std::string text = std::to_string(rank);
      for (const Environment& mpi :
           {Environment{{"OMPI_COMM_WORLD_RANK", text}, {"OMPI_COMM_WORLD_SIZE", "2"}},
            Environment{{"PMI_RANK", text}, {"PMI_SIZE", "2"}},
            Environment{{"SLURM_PROCID", text},
                        {"SLURM_STEP_ID", "7"},
                        {"SLURM_JOB_ID", "1"},
                        {"SLURM_STEP_NUM_TASKS", "2"},
                        {"PMIX_RANK", text}}}) {
        const JobPlace place =
            discover(with(rank_environment(kShape, job(), group, 5), mpi), {}, {}).value();
        EXPECT_EQ(place.node, NodeId(2 + 2 * group + rank));
        EXPECT_EQ(place.nodes, 8);
        EXPECT_EQ(place.servers, 2);
        EXPECT_EQ(place.role, NodeRole::kRank);
        EXPECT_EQ(place.group, (RankPlace{group, 3, rank, 2, 5}));
        EXPECT_EQ(place.rendezvous, kMeet);
        EXPECT_TRUE(place.local);
      }
    }
  }
}

TEST(GroupEnvironment, AGroupOfOneNeedsNoMpi) {
  const GroupShape shape{.servers = 1, .groups = 3, .ranks_per_group = 1};
  const Environment all = job_environment(shape, {}, "1f2e", kMeet, "0123456789abcdef");
  const JobPlace place = discover(rank_environment(shape, all, 2, 0), {}, {}).value();
  EXPECT_EQ(place.node, NodeId(3));
  EXPECT_EQ(place.group, (RankPlace{2, 3, 0, 1, 0}));
}

TEST(GroupEnvironment, NothingOfAnotherJobIsLeft) {
  const Environment outer =
      with(rank_environment(kShape, job(), 1, 0), {{"OMPI_COMM_WORLD_RANK", "1"},
                                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                   {"OMPI_MCA_orte_hnp_uri", "x"},
                                                   {"PMIX_RANK", "1"},
                                                   {"PMIX_SERVER_URI2", "x"},
                                                   {"SLURM_PROCID", "4"},
                                                   {"SLURM_STEP_NUM_TASKS", "9"},
                                                   {"HOME", "/home/a"},
                                                   {"OMPI_MCA_btl", "self,tcp"},
                                                   {"PMIX_MCA_gds", "hash"}});
  Environment inner = job_environment({}, outer, "new", kMeet, "fedcba9876543210");
  EXPECT_EQ(inner, (Environment{{"GODWIT_NODES", "2"},
                                {"GODWIT_SERVERS", "1"},
                                {"GODWIT_GROUPS", "1"},
                                {"GODWIT_JOB", "new"},
                                {"GODWIT_RENDEZVOUS", kMeet},
                                {"GODWIT_TOKEN", "fedcba9876543210"},
                                {"HOME", "/home/a"},
                                {"OMPI_MCA_btl", "self,tcp"},
                                {"PMIX_MCA_gds", "hash"}}));
}

}  // namespace
}  // namespace godwit
