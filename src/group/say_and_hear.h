// group/say_and_hear.h: how ranks that do not know each other yet exchange a few words: through a
// store of gloo that all see. A blocking call; thread-safe.
#pragma once

#include <gloo/rendezvous/store.h>

#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"

namespace godwit {

// What each rank says, by rank. A call of all ranks, once for each `about`. kTimeout if not all
// come; kUnavailable if the store cannot be used.
Result<std::vector<std::string>> say_and_hear(gloo::rendezvous::Store& store, const char* about,
                                              const std::string& text, int rank, int size,
                                              Time deadline);

}  // namespace godwit
