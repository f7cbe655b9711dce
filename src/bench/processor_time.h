// bench/processor_time.h: what this process has used of the processors so far. Thread-safe.
#pragma once

#include <sys/resource.h>

namespace godwit {

// Of all its threads, in programs and in the system.
inline double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace godwit
