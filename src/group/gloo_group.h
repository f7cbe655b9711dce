// group/gloo_group.h: a group of processes that somebody started, and that meet by gloo in a folder
// they all see. That is all that gloo does here: its FileStore is the meeting point. Bytes go
// through shared memory and TCP connections of our own: gloo's transport is slower, and lets a
// process be killed that writes to a rank which is gone (SIGPIPE; docs/adr/0019). Survivors of a
// rank that dies can go on. Which file stands behind it is CMake's choice: gloo_group.cc, or
// no_gloo_group.cc where there is no gloo.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "group/exchanger.h"

namespace godwit {

struct GlooOptions {
  // Exists, and is empty but for groups of other names. Private to the user (mode 0700): who can
  // read it finds the secrets by which ranks know each other; who can write it can say anything.
  std::string folder;
  std::string name = "group";
  int rank = 0;
  int size = 1;
  std::string host = "127.0.0.1";  // the address of this process that the others reach
  Duration wait_max = std::chrono::seconds(60);  // for all to come
  // Ranks of one host exchange short messages through memory instead of sockets; through sockets
  // all the same where that memory cannot be had.
  bool shares_memory = true;
  // How long shrink() waits for one more survivor once it knows of some. As soon as all but one
  // have come, it waits no more.
  Duration settle = std::chrono::milliseconds(300);
};

// A call of all ranks. kTimeout if not all come; kUnavailable if this program was built without
// gloo, or if connections cannot be made.
Result<std::unique_ptr<Exchanger>> make_gloo_exchanger(const GlooOptions& options);

}  // namespace godwit
