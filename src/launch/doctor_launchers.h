// launch/doctor_launchers.h: checks of MPI, of Slurm and of this process's place in a job.
// judge_...() are pure. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "launch/doctor.h"

namespace godwit {

// `version` is what `mpirun --version` prints; empty if there is no mpirun.
Finding judge_mpi(std::string_view version, bool is_root, const Environment& environment);
Finding examine_mpi(const Environment& environment);

// `srun` is where it is; empty if it is not installed.
Finding judge_slurm(const std::string& srun, const Environment& environment);
Finding examine_slurm(const Environment& environment);

// What discover() says.
Finding examine_place(const Environment& environment);

}  // namespace godwit
