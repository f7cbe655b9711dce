// cli/node_agreement.h: steps that the nodes of a job take together or not at all, so that a
// mistake is said once and no node waits for one that has given up. Thread-safe: no state.
#pragma once

#include <optional>
#include <string>

#include "godwit/result.h"
#include "godwit/session.h"
#include "train/settings.h"

namespace godwit {

// To be called by one thread of each node, with what came of its part of a step. Nothing if all
// went well; else the same error on all nodes, which names the nodes it is of unless it is all
// nodes' error. Errors of Session::gather() if that could not be told.
Result<std::optional<Error>> agree(Session& session, const Result<>& mine);

// Likewise, of settings and the name of the data: kInvalidArgument on all nodes, naming the first
// that is not everywhere what it is on node 0.
Result<std::optional<Error>> agree_on_settings(Session& session, const Settings& settings,
                                               const std::string& data);

}  // namespace godwit
