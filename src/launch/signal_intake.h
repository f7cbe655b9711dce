// launch/signal_intake.h: interrupts as readable events instead of handlers. While one lives, this
// thread takes SIGINT, SIGTERM and SIGHUP from a descriptor, and a closed pipe raises no SIGPIPE.
// Not thread-safe. Other threads must have these signals blocked, or they take them.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t, struct sigaction

#include <optional>

#include "base/unique_fd.h"

namespace godwit {

class SignalIntake {
 public:
  // SIGHUP is left alone if it is ignored, as under nohup.
  SignalIntake();
  SignalIntake(const SignalIntake&) = delete;
  SignalIntake& operator=(const SignalIntake&) = delete;
  // Puts back what was; a signal that was not taken then has its usual effect.
  ~SignalIntake();

  int fd() const { return fd_.fd(); }
  // The next signal; nothing if there is none.
  std::optional<int> take();

 private:
  sigset_t mask_before_{};
  struct sigaction pipe_before_ {};
  UniqueFd fd_;
};

}  // namespace godwit
