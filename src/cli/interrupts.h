// cli/interrupts.h: Ctrl-C and SIGTERM as a wish: once to stop well, twice to stop now.
// One at a time lives in a process.
#pragma once

#include <atomic>

namespace godwit {

class Interrupts {
 public:
  Interrupts();
  // Signals have their usual effect again.
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Set by the first; the second ends the process with exit code 130.
  const std::atomic<bool>& stop() const;
};

}  // namespace godwit
