// launch/signal_intake_test.cc: signals sent to ourselves.
#include "launch/signal_intake.h"

#include <gtest/gtest.h>

namespace godwit {
namespace {

TEST(SignalIntake, SignalsAreTakenInsteadOfKilling) {
  SignalIntake intake;
  EXPECT_EQ(intake.take(), std::nullopt);
  raise(SIGTERM);
  EXPECT_EQ(intake.take(), SIGTERM);
  raise(SIGINT);
  EXPECT_EQ(intake.take(), SIGINT);
  EXPECT_EQ(intake.take(), std::nullopt);
}

TEST(SignalIntake, TheStateBeforeComesBack) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { const SignalIntake intake; }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < NSIG; ++signal) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
  }
  struct sigaction pipe {};
  sigaction(SIGPIPE, nullptr, &pipe);
  EXPECT_EQ(pipe.sa_handler, SIG_DFL);
}

TEST(SignalIntake, NohupIsRespected) {
  const auto before = signal(SIGHUP, SIG_IGN);
  {
    SignalIntake intake;
    raise(SIGHUP);
    EXPECT_EQ(intake.take(), std::nullopt);
  }
  signal(SIGHUP, before);
}

}  // namespace
}  // namespace godwit
