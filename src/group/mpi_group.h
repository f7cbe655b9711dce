// group/mpi_group.h: a group over MPI: the ranks of the job that a launcher (mpirun, srun) started.
// Which file stands behind it is CMake's choice: mpi_group.cc, or no_mpi_group.cc where there is no
// MPI. A rank that dies takes the whole job with it: MPI knows no other way.
#pragma once

#include <memory>
#include <span>

#include "group/exchanger.h"

namespace godwit {

// MPI in this process. One at a time. Thread-safe: it goes into MPI with one thread at a time.
class MpiRuntime {
 public:
  // Begins MPI, or takes it as it is if the program has begun it. kUnavailable if this program was
  // built without MPI, or if MPI gives no help to threads.
  static Result<std::unique_ptr<MpiRuntime>> begin();

  // Ends MPI if begin() began it, for which it waits for all ranks unless an exchanger has failed.
  // REQUIRES: its exchangers are gone.
  virtual ~MpiRuntime() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // "Open MPI 4.1.4" and so on.
  virtual std::string version() const = 0;

  // All ranks of the job; a call of all of them. kUnavailable where MPI gives no memory that the
  // ranks of a host share: there is no other way for their short messages. REQUIRES: the runtime
  // outlives it.
  virtual Result<std::unique_ptr<Exchanger>> exchanger() = 0;

  // What MPI itself does, without a deadline: to compare with.
  virtual Result<> plain_allreduce(std::span<float> values) = 0;
  virtual Result<> plain_barrier() = 0;
};

}  // namespace godwit
