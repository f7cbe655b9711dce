// group/survivors.h: how the ranks that are left of a group find out who they are: each leaves a
// mark in a folder that all see, and one of them writes down who came. A blocking call;
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "base/time_source.h"
#include "godwit/result.h"

namespace godwit {

struct SurvivorsOptions {
  std::string folder;  // exists; whoever made it removes it
  std::string name;    // of the group that broke
  int rank = 0;
  int size = 1;
  Duration settle = std::chrono::milliseconds(300);
};

// The ranks that are left, in order, this one among them; the same on all of them. The list is
// closed when nobody has come for `settle`, or a tenth of it if all but one are there.
//   kUnavailable      it was closed before this rank came; or the folder cannot be used
//   kTimeout          nobody closed it until the deadline
Result<std::vector<int>> meet_survivors(const SurvivorsOptions& options, Time deadline);

}  // namespace godwit
