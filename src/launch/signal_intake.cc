// launch/signal_intake.cc: signalfd.
#include "launch/signal_intake.h"

#include <sys/signalfd.h>

#include "base/check.h"

namespace godwit {

SignalIntake::SignalIntake() {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGINT);
  sigaddset(&taken, SIGTERM);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&taken, SIGHUP);
  GODWIT_CHECK_EQ(pthread_sigmask(SIG_BLOCK, &taken, &mask_before_), 0);
  fd_ = UniqueFd(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  GODWIT_CHECK(fd_.is_open());
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &pipe_before_);
}

SignalIntake::~SignalIntake() {
  sigaction(SIGPIPE, &pipe_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::optional<int> SignalIntake::take() {
  signalfd_siginfo info{};
  if (read(fd_.fd(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return static_cast<int>(info.ssi_signo);
}

}  // namespace godwit
