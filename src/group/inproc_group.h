// group/inproc_group.h: ranks that are threads of one process: for tests, and for programs that
// try out a group without a launcher. Thread-safe: each rank is used by a thread of its own.
#pragma once

#include <memory>
#include <vector>

#include "group/exchanger.h"

namespace godwit {

// One exchanger a rank; they share memory, which lives until the last of them is gone. A send is
// done when its bytes were received: nothing is buffered, as with large messages of MPI.
// `with_views`: short messages go the way that ranks of one host take (shared_exchanger.h).
std::vector<std::unique_ptr<Exchanger>> make_inproc_exchangers(int size, bool with_views = false);

}  // namespace godwit
