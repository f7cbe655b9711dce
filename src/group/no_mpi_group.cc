// group/no_mpi_group.cc: for builds without MPI.
#include "base/errors.h"
#include "group/mpi_group.h"

namespace godwit {

Result<std::unique_ptr<MpiRuntime>> MpiRuntime::begin() {
  return unavailable("this program was built without MPI: install libopenmpi-dev, build it anew");
}

}  // namespace godwit
