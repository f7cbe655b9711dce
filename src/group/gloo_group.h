// group/gloo_group.h: a group of processes that somebody started, and that meet by gloo in a folder
// they all see. Their messages go over TCP connections of our own: gloo's transport is slower, and
// lets a process be killed that writes to a rank which is gone (SIGPIPE). Survivors of a rank that
// dies can go on. Which file stands behind it is CMake's choice: gloo_group.cc, or
// no_gloo_group.cc where there is no gloo.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "group/exchanger.h"

namespace godwit {

struct GlooOptions {
  std::string folder;  // exists, and is empty but for groups of other names
  std::string name = "group";
  int rank = 0;
  int size = 1;
  std::string host = "127.0.0.1";  // the address of this process that the others reach
  Duration wait_max = std::chrono::seconds(60);  // for all to come
  // Ranks of one host exchange short messages through memory instead of sockets.
  bool shares_memory = true;
  // How long shrink() waits for one more survivor once it knows of some. As soon as all but one
  // have come, it waits no more.
  Duration settle = std::chrono::milliseconds(300);
};

// A call of all ranks. kTimeout if not all come; kUnavailable if this program was built without
// gloo, or if connections cannot be made.
Result<std::unique_ptr<Exchanger>> make_gloo_exchanger(const GlooOptions& options);

}  // namespace godwit
