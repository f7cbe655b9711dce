// launch/mpi_launcher_test.cc: which launcher is taken, and what it is told.
#include "launch/mpi_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "launch/job_dir.h"

namespace godwit {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A PATH with programs of these names.
class MpiLaunchers : public testing::Test {
 protected:
  void install(const std::string& name) {
    const std::string path = dir_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n";
    chmod(path.c_str(), 0700);
  }
  std::string found(std::optional<MpiKind> wanted, std::int64_t ranks = 2) {
    const auto launcher = find_mpi_launcher(wanted, ranks, environment_);
    if (!launcher.ok()) return launcher.error().message();
    kind_ = launcher->kind;
    return launcher->path.empty() ? "" : launcher->path.substr(dir_.path().size() + 1);
  }

  const JobDir dir_ = JobDir::make("/tmp").value();
  Environment environment_{{"PATH", dir_.path()}};
  MpiKind kind_ = MpiKind::kPlain;
};

TEST_F(MpiLaunchers, WithoutAnyThePackageIsNamed) {
  EXPECT_THAT(found({}), HasSubstr("install openmpi-bin (or mpich)"));
  EXPECT_THAT(found(MpiKind::kMpich), HasSubstr("install mpich"));
  EXPECT_THAT(found(MpiKind::kSlurm), HasSubstr("SLURM_JOB_ID"));
  environment_["SLURM_JOB_ID"] = "3";
  EXPECT_THAT(found({}), HasSubstr("slurm-client"));
}

TEST_F(MpiLaunchers, OneRankNeedsNone) {
  EXPECT_EQ(found({}, 1), "");
  EXPECT_EQ(kind_, MpiKind::kPlain);
}

TEST_F(MpiLaunchers, WhatIsInstalledIsTaken) {
  install("mpirun");
  EXPECT_EQ(found({}), "mpirun");
  EXPECT_EQ(kind_, MpiKind::kOpenMpi);
  EXPECT_EQ(found(MpiKind::kMpich), "mpirun");
  EXPECT_EQ(kind_, MpiKind::kMpich);
  install("mpiexec.hydra");
  EXPECT_EQ(found({}), "mpiexec.hydra");
  EXPECT_EQ(kind_, MpiKind::kMpich);
  install("mpirun.openmpi");
  EXPECT_EQ(found({}), "mpirun.openmpi");
  EXPECT_EQ(kind_, MpiKind::kOpenMpi);
  EXPECT_EQ(found(MpiKind::kMpich), "mpiexec.hydra");
}

TEST_F(MpiLaunchers, InsideAnAllocationItIsSrunUnlessTheUserWantsAnother) {
  install("srun");
  install("mpirun.openmpi");
  environment_["SLURM_JOB_ID"] = "3";
  EXPECT_EQ(found({}), "srun");
  EXPECT_EQ(found({}, 1), "srun");
  EXPECT_EQ(kind_, MpiKind::kSlurm);
  EXPECT_EQ(found(MpiKind::kOpenMpi), "mpirun.openmpi");
}

TEST(MpiLauncher, KindsHaveNames) {
  EXPECT_EQ(parse_mpi_kind("openmpi").value(), MpiKind::kOpenMpi);
  EXPECT_EQ(parse_mpi_kind("mpich").value(), MpiKind::kMpich);
  EXPECT_EQ(parse_mpi_kind("slurm").value(), MpiKind::kSlurm);
  EXPECT_THAT(parse_mpi_kind("lam").error().message(), HasSubstr("'lam'"));
}

TEST(MpiLauncher, TheCommandComesLastAndWhole) {
  const std::vector<std::string> command = {"./train", "-n", "7"};
  const GroupStart start{.group = 4, .ranks = 3};
  EXPECT_THAT(group_command({}, start, command, {}), ElementsAre("./train", "-n", "7"));
  EXPECT_THAT(group_command({MpiKind::kMpich, "/m"}, start, command, {}),
              ElementsAre("/m", "-n", "3", "-prepend-rank", "./train", "-n", "7"));
  for (const MpiKind kind : {MpiKind::kOpenMpi, MpiKind::kSlurm}) {
    const auto words = group_command({kind, "/m"}, start, command, {});
    EXPECT_EQ(std::vector(words.begin(), words.begin() + 3),
              (std::vector<std::string>{"/m", "-n", "3"}));
    EXPECT_EQ(std::vector(words.end() - 3, words.end()), command);
  }
}

TEST(MpiLauncher, OpenMpiRunsForRootOnlyIfTold) {
  const MpiLauncher launcher{MpiKind::kOpenMpi, "/m"};
  EXPECT_THAT(group_command(launcher, {.is_root = false}, {"x"}, {}),
              Not(Contains("--allow-run-as-root")));
  EXPECT_THAT(group_command(launcher, {.is_root = true}, {"x"}, {}),
              Contains("--allow-run-as-root"));
}

TEST(MpiLauncher, SlurmTakesFewHostsAndPmixUnlessTheSiteHasChosen) {
  const MpiLauncher launcher{MpiKind::kSlurm, "/srun"};
  EXPECT_THAT(group_command(launcher, {}, {"x"}, {{"SLURM_JOB_NUM_NODES", "5"}}),
              AllOf(Contains("1-5"), Contains("--mpi=pmix"), Contains("--exact")));
  EXPECT_THAT(group_command(launcher, {}, {"x"}, {{"SLURM_MPI_TYPE", "pmi2"}}),
              Not(Contains("--mpi=pmix")));
}

TEST(MpiLauncher, OpenMpiStaysOnThisHostAndInDirectoriesOfItsOwn) {
  const GroupStart start{.is_crowded = true, .dir = "/d", .memory_dir = "/m"};
  const Environment environment = launcher_environment(
      {MpiKind::kOpenMpi, "/x"}, start,
      {{"SLURM_JOB_ID", "3"}, {"HOME", "/h"}, {"OMPI_MCA_orte_tmpdir_base", "/theirs"}});
  EXPECT_EQ(environment.count("SLURM_JOB_ID"), 0);
  EXPECT_EQ(environment.at("HOME"), "/h");
  EXPECT_EQ(environment.at("OMPI_MCA_orte_tmpdir_base"), "/d");
  EXPECT_EQ(environment.at("OMPI_MCA_btl_vader_backing_directory"), "/m");
  EXPECT_EQ(environment.at("OMPI_MCA_btl"), "self,vader");
  EXPECT_EQ(environment.at("OMPI_MCA_oob_tcp_if_include"), "lo");
  EXPECT_EQ(environment.at("OMPI_MCA_mpi_yield_when_idle"), "1");
}

TEST(MpiLauncher, WhatTheUserHasSetForOpenMpiStays) {
  const Environment environment =
      launcher_environment({MpiKind::kOpenMpi, "/x"}, {.dir = "/d"},
                           {{"OMPI_MCA_btl", "self,tcp"}, {"OMPI_MCA_oob_tcp_if_include", "eth0"}});
  EXPECT_EQ(environment.at("OMPI_MCA_btl"), "self,tcp");
  EXPECT_EQ(environment.at("OMPI_MCA_oob_tcp_if_include"), "eth0");
  EXPECT_EQ(environment.count("OMPI_MCA_mpi_yield_when_idle"), 0);
  EXPECT_EQ(environment.count("OMPI_MCA_btl_vader_backing_directory"), 0);
}

TEST(MpiLauncher, SrunKeepsItsAllocation) {
  const Environment environment{{"SLURM_JOB_ID", "3"}, {"SLURM_JOB_NODELIST", "n[1-2]"}};
  EXPECT_EQ(launcher_environment({MpiKind::kSlurm, "/srun"}, {}, environment), environment);
}

}  // namespace
}  // namespace godwit
