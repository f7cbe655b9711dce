// launch/orphans.cc: PR_SET_CHILD_SUBREAPER.
#include "launch/orphans.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace godwit {

Orphans::Orphans() {
  for (const ProcessEntry& child : children_of(getpid())) known_.insert(child.pid);
  prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Orphans::~Orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
}

std::vector<ProcessEntry> Orphans::take() {
  std::vector<ProcessEntry> alive;
  for (ProcessEntry& child : children_of(getpid())) {
    if (known_.contains(child.pid)) continue;
    if (child.is_zombie) {
      waitpid(static_cast<pid_t>(child.pid), nullptr, WNOHANG);
    } else {
      alive.push_back(std::move(child));
    }
  }
  return alive;
}

}  // namespace godwit
