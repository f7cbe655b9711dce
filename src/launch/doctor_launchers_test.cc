// launch/doctor_launchers_test.cc: version texts as the flavours print them; Slurm in and out.
#include "launch/doctor_launchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(DoctorLaunchers, MpiFlavours) {
  EXPECT_THAT(judge_mpi("", false, {}).found, HasSubstr("no mpirun"));
  EXPECT_EQ(judge_mpi("mpirun (Open MPI) 4.1.4\n\nReport bugs\n", false, {}).found,
            "Open MPI: mpirun (Open MPI) 4.1.4");
  EXPECT_EQ(judge_mpi("mpirun.openmpi (OpenRTE) 4.1.4\n", false, {}).health, Health::kOk);
  EXPECT_EQ(
      judge_mpi("HYDRA build details:\n    Version:     4.0.2\n    CC: gcc\n", true, {}).found,
      "MPICH (Hydra): Version:     4.0.2");
  EXPECT_EQ(judge_mpi("Other MPI 1.0\n", false, {}).health, Health::kWarn);
}

TEST(DoctorLaunchers, OpenMpiAsRootNeedsAWord) {
  const Finding finding = judge_mpi("mpirun (Open MPI) 4.1.4\n", true, {});
  EXPECT_EQ(finding.health, Health::kWarn);
  EXPECT_THAT(finding.fix, HasSubstr("--allow-run-as-root"));
  EXPECT_EQ(judge_mpi("mpirun (Open MPI) 4.1.4\n", true,
                      {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}})
                .health,
            Health::kOk);
}

TEST(DoctorLaunchers, Slurm) {
  EXPECT_THAT(judge_slurm("", {}).found, HasSubstr("no srun"));
  EXPECT_EQ(judge_slurm("/usr/bin/srun", {}).found, "/usr/bin/srun, not inside a job");
  const Environment batch = {{"SLURM_JOB_ID", "5"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "3"}};
  EXPECT_EQ(judge_slurm("/usr/bin/srun", batch).health, Health::kWarn);
  Environment step = batch;
  step["SLURM_STEP_ID"] = "1";
  EXPECT_THAT(judge_slurm("/usr/bin/srun", step).found,
              HasSubstr("job 5, step 1: SLURM_PROCID=0 SLURM_NTASKS=3"));
}

TEST(DoctorLaunchers, PlaceIsWhatDiscoverySays) {
  EXPECT_THAT(examine_place({}).found, HasSubstr("alone"));
  EXPECT_EQ(examine_place({{"RANK", "x"}, {"WORLD_SIZE", "2"}}).health, Health::kFail);
  EXPECT_THAT(
      examine_place(
          {{"GODWIT_NODE", "1"}, {"GODWIT_NODES", "2"}, {"GODWIT_RENDEZVOUS", "unix:/tmp/x/meet"}})
          .found,
      HasSubstr("node 1 of 2 by GODWIT_NODE, meeting at unix:/tmp/x/meet"));
}

}  // namespace
}  // namespace godwit
