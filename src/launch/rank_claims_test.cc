// launch/rank_claims_test.cc: each launcher's variables, stale ones, and two that disagree.
#include "launch/rank_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const ProcessEntry kShell{.pid = 9, .name = "bash"};
const ProcessEntry kStep{.pid = 5, .name = "slurmstepd"};
const ProcessEntry kOrted{.pid = 6, .name = "orted"};
const ProcessEntry kProxy{.pid = 7, .name = "hydra_pmi_proxy"};

struct Outcome {
  std::vector<RankSource> sources;
  std::string error;
};

Outcome claims_of(const Environment& environment, const std::vector<ProcessEntry>& ancestors = {},
                  const RankFlags& flags = {}) {
  const auto claims = rank_claims(environment, flags, ancestors);
  if (!claims.ok()) return {{}, claims.error().message()};
  std::vector<RankSource> sources;
  for (const RankClaim& claim : *claims) sources.push_back(claim.source);
  return {sources, ""};
}

std::string disagreement(const Environment& environment, const RankFlags& flags = {}) {
  const auto claims = rank_claims(environment, flags, {});
  if (!claims.ok()) return claims.error().message();
  const auto agreed = agreed_rank(*claims);
  return agreed.ok() ? "" : agreed.error().message();
}

Environment slurm_step(const std::string& rank, const std::string& size) {
  return {{"SLURM_JOB_ID", "12"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_PROCID", rank},
          {"SLURM_STEP_NUM_TASKS", size},
          {"SLURM_NTASKS", "64"}};
}

TEST(RankClaims, EachSourceIsRead) {
  const std::vector<std::pair<Environment, RankSource>> cases = {
      {{{"GODWIT_NODE", "2"}, {"GODWIT_NODES", "4"}}, RankSource::kGodwit},
      {{{"RANK", "2"}, {"WORLD_SIZE", "4"}}, RankSource::kRank},
      {{{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, RankSource::kOpenMpi},
      {{{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}}, RankSource::kPmi},
      {slurm_step("2", "4"), RankSource::kSlurm},
  };
  for (const auto& [environment, source] : cases) {
    const auto claims = rank_claims(environment, {}, {});
    ASSERT_TRUE(claims.ok()) << to_string(source);
    ASSERT_EQ(claims->size(), 1U) << to_string(source);
    EXPECT_EQ((*claims)[0].source, source);
    const auto agreed = agreed_rank(*claims);
    ASSERT_TRUE(agreed.ok());
    EXPECT_EQ(agreed->rank, 2);
    EXPECT_EQ(agreed->size, 4);
  }
  EXPECT_THAT(claims_of({}, {}, {.node = 1, .nodes = 2}).sources,
              testing::ElementsAre(RankSource::kFlags));
  EXPECT_THAT(claims_of({}).sources, IsEmpty());
}

TEST(RankClaims, SourcesThatAgreeAreAllKeptInOrder) {
  Environment environment = slurm_step("1", "2");
  environment["PMIX_RANK"] = "1";
  environment["RANK"] = "1";
  environment["WORLD_SIZE"] = "2";
  EXPECT_THAT(claims_of(environment).sources,
              testing::ElementsAre(RankSource::kRank, RankSource::kPmix, RankSource::kSlurm));
  EXPECT_EQ(disagreement(environment), "");
}

TEST(RankClaims, DisagreementNamesBothSourcesAndValues) {
  const std::string ranks = disagreement({{"GODWIT_NODE", "1"},
                                          {"GODWIT_NODES", "4"},
                                          {"OMPI_COMM_WORLD_RANK", "2"},
                                          {"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_THAT(ranks, HasSubstr("GODWIT_NODE=1 GODWIT_NODES=4"));
  EXPECT_THAT(ranks, HasSubstr("OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4"));

  const std::string sizes =
      disagreement({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "8"}});
  EXPECT_THAT(sizes, HasSubstr("RANK=1 WORLD_SIZE=4 and PMI_RANK=1 PMI_SIZE=8"));

  const std::string flags =
      disagreement({{"RANK", "1"}, {"WORLD_SIZE", "4"}}, {.node = 0, .nodes = 4});
  EXPECT_THAT(flags, HasSubstr("--node=0 --nodes=4 and RANK=1 WORLD_SIZE=4"));

  Environment pmix = slurm_step("1", "4");
  pmix["PMIX_RANK"] = "2";
  EXPECT_THAT(disagreement(pmix), HasSubstr("PMIX_RANK=2 and SLURM_PROCID=1"));
}

TEST(RankClaims, GarbageIsRefusedByName) {
  EXPECT_THAT(claims_of({{"RANK", "one"}, {"WORLD_SIZE", "4"}}).error, HasSubstr("RANK is 'one'"));
  EXPECT_THAT(claims_of({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}).error, HasSubstr("RANK is '-1'"));
  EXPECT_THAT(claims_of({{"PMIX_RANK", "x"}}).error, HasSubstr("PMIX_RANK is 'x'"));
  EXPECT_THAT(claims_of({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).error, HasSubstr("0 to 3"));
  EXPECT_THAT(claims_of({{"RANK", "0"}, {"WORLD_SIZE", "0"}}).error, HasSubstr("1 to 4096"));
  EXPECT_THAT(claims_of({{"RANK", "0"}, {"WORLD_SIZE", "4097"}}).error, HasSubstr("1 to 4096"));
  EXPECT_THAT(claims_of({{"RANK", "0"}}).error, HasSubstr("RANK is set but WORLD_SIZE is not"));
  EXPECT_THAT(claims_of({{"PMI_SIZE", "2"}}).error, HasSubstr("PMI_SIZE is set but PMI_RANK"));
  EXPECT_THAT(claims_of({}, {}, {.node = 1, .nodes = {}}).error, HasSubstr("--nodes is not"));
}

TEST(RankClaims, PmixAloneLacksASize) {
  EXPECT_THAT(disagreement({{"PMIX_RANK", "0"}}), HasSubstr("GODWIT_NODES"));
  Environment environment = slurm_step("3", "4");
  environment["PMIX_RANK"] = "3";
  EXPECT_EQ(disagreement(environment), "");
}

TEST(RankClaims, SlurmCountsOnlyInsideAStep) {
  Environment batch = slurm_step("0", "4");
  batch.erase("SLURM_STEP_ID");
  EXPECT_THAT(claims_of(batch).sources, IsEmpty());
  for (const char* step : {"batch", "extern", "interactive", "4294967290", "4294967291"}) {
    batch["SLURM_STEP_ID"] = step;
    EXPECT_THAT(claims_of(batch).sources, IsEmpty()) << step;
    EXPECT_EQ(claims_of(batch).error, "") << step;
  }
  Environment plain = slurm_step("3", "");
  plain["SLURM_NTASKS"] = "4";
  EXPECT_EQ(disagreement(plain), "");
}

TEST(RankClaims, AnMpirunInsideAStepHidesTheStepOfItsDaemons) {
  Environment environment = slurm_step("0", "2");
  environment["OMPI_COMM_WORLD_RANK"] = "2";
  environment["OMPI_COMM_WORLD_SIZE"] = "4";
  EXPECT_THAT(claims_of(environment, {kShell, kOrted, kStep}).sources,
              testing::ElementsAre(RankSource::kOpenMpi));
  environment.erase("OMPI_COMM_WORLD_RANK");
  environment.erase("OMPI_COMM_WORLD_SIZE");
  environment["PMI_RANK"] = "2";
  environment["PMI_SIZE"] = "4";
  EXPECT_THAT(claims_of(environment, {kProxy, kStep}).sources,
              testing::ElementsAre(RankSource::kPmi));
  // Where the ancestors cannot be seen nobody may guess.
  EXPECT_THAT(disagreement(environment), HasSubstr("PMI_RANK=2"));
}

TEST(RankClaims, AStepInsideAnMpirunHidesTheOuterRank) {
  Environment environment = slurm_step("1", "4");
  environment["OMPI_COMM_WORLD_RANK"] = "0";
  environment["OMPI_COMM_WORLD_SIZE"] = "1";
  environment["PMI_RANK"] = "1";
  environment["PMI_SIZE"] = "4";
  EXPECT_THAT(claims_of(environment, {kStep}).sources, testing::ElementsAre(RankSource::kSlurm));
  environment["SLURM_MPI_TYPE"] = "pmi2";
  EXPECT_THAT(claims_of(environment, {kStep}).sources,
              testing::ElementsAre(RankSource::kPmi, RankSource::kSlurm));
}

TEST(RankClaims, WithoutTheForeignVariablesNobodyClaims) {
  Environment environment = slurm_step("1", "2");
  for (const char* name : {"RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                           "PMI_RANK", "PMI_SIZE", "PMIX_RANK"}) {
    environment[name] = "1";
  }
  for (const std::string_view name : foreign_rank_variables()) {
    environment.erase(std::string(name));
  }
  EXPECT_THAT(claims_of(environment).sources, IsEmpty());
}

}  // namespace
}  // namespace godwit
