// cli/interrupts.cc: a handler may touch nothing but an atomic, so that is a static.
#include "cli/interrupts.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): struct sigaction
#include <unistd.h>

#include <array>

#include "launch/launch_outcome.h"

namespace godwit {
namespace {

std::atomic<bool> was_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};

void on_signal(int) {
  if (was_asked.exchange(true)) _exit(kExitInterrupted);
}

void handle_by(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupts::Interrupts() {
  was_asked.store(false);
  handle_by(on_signal);
}

Interrupts::~Interrupts() {
  handle_by(SIG_DFL);
}

const std::atomic<bool>& Interrupts::stop() const {
  return was_asked;
}

}  // namespace godwit
